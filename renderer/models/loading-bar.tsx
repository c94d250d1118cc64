/** How far something has come, 0..1; null: nobody knows. Its words stand beside it. */
export function LoadingBar({ fraction }: { fraction: number | null }) {
  const width = fraction === null ? undefined : { width: `${Math.round(fraction * 100)}%` };
  return (
    <div className="bar" data-unknown={fraction === null ? '' : undefined} aria-hidden="true">
      <span style={width} />
    </div>
  );
}
