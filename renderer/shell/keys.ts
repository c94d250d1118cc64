/** A character typed while nothing has the focus is meant for the composer. */
export function isStrayTyping(event: KeyboardEvent): boolean {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  return plain && event.key.length === 1 && event.key !== ' ' && event.target === document.body;
}
