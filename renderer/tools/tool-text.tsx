/** What a program wrote, as it is; a long one scrolls. */
export function ToolText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="tool-text" tabIndex={0} aria-label={label}>
      <pre dir="auto">{text}</pre>
    </section>
  );
}
