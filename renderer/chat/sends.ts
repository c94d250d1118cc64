import type { Preferences } from '../../protocol/preferences.js';

interface KeyPress {
  key: string;
  keyCode: number;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  nativeEvent: { isComposing: boolean };
}

/** Whether a key sends what has been written: Enter, or only Enter with Ctrl or Command. Shift+Enter is a line break always. */
export function sends(event: KeyPress, sendWith: Preferences['send_with']): boolean {
  if (event.key !== 'Enter' || event.shiftKey) return false;
  // An input method takes Enter for itself. 229: Safari ends a composition before the Enter that ended it arrives.
  if (event.nativeEvent.isComposing || event.keyCode === 229) return false;
  return sendWith === 'enter' || event.ctrlKey || event.metaKey;
}
