/** Key combinations in Electron's words, such as "Alt+Space": https://www.electronjs.org/docs/latest/api/accelerator */

const MODIFIERS = new Map<string, 'strong' | 'weak'>([
  ...['command', 'cmd', 'control', 'ctrl', 'commandorcontrol', 'cmdorctrl', 'alt', 'option'].map(
    (name) => [name, 'strong'] as const,
  ),
  ...['altgr', 'super', 'meta'].map((name) => [name, 'strong'] as const),
  ['shift', 'weak'],
]);
const FUNCTION_KEY = /^f([1-9]|1\d|2[0-4])$/;
const KEY =
  /^([0-9a-z]|[)!@#$%^&*(:;+=<,_\-.>?/~`{\][|\\}"']|plus|space|tab|backspace|delete|insert|return|enter|up|down|left|right|home|end|pageup|pagedown|escape|esc|printscreen|num[0-9]|numdec|numadd|numsub|nummult|numdiv)$/;

/**
 * Whether it can be asked of the system: one key, and a modifier that keeps it apart from what is typed. A key without
 * one would be lost to every other program, but for F1 to F24.
 */
export function isShortcut(accelerator: string): boolean {
  const parts = accelerator.toLowerCase().split('+');
  const key = parts.pop() ?? '';
  if (new Set(parts).size !== parts.length) return false;
  if (!parts.every((part) => MODIFIERS.has(part))) return false;
  if (FUNCTION_KEY.test(key)) return true;
  return KEY.test(key) && parts.some((part) => MODIFIERS.get(part) === 'strong');
}
