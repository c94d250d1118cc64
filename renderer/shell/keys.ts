const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** Browsers keep Ctrl+N for themselves; the second one works everywhere. */
export const newChatKeys = isMac ? '⇧⌘O' : 'Ctrl+Shift+O';

/** Whether the keys ask for a new chat. */
export function asksForNewChat(event: KeyboardEvent): boolean {
  const command = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!command || event.altKey) return false;
  const key = event.key.toLowerCase();
  return event.shiftKey ? key === 'o' : key === 'n';
}

/** A character typed while nothing has the focus is meant for the composer. */
export function isStrayTyping(event: KeyboardEvent): boolean {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  return plain && event.key.length === 1 && event.key !== ' ' && event.target === document.body;
}
