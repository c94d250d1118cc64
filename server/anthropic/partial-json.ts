/** Input of a tool call that the end of the answer may have cut short. Pure. */

type JsonObject = Record<string, unknown>;

/** A JSON object as far as its text goes: members that are not complete are left out. Empty for a text that is none. */
export function beginningOf(text: string): JsonObject {
  for (const candidate of [text, ...closed(text)]) {
    const value = parsed(candidate);
    if (value !== null) return value;
  }
  return {};
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The text cut where a value may be complete, with what is open there closed; the longest first. Two are enough, since
 * only a name without its value is cut in vain.
 */
function closed(text: string): string[] {
  const closers: string[] = [];
  const cuts: { end: number; closing: string }[] = [];
  const cut = (end: number) => {
    cuts.push({ end, closing: closers.toReversed().join('') });
    if (cuts.length > 2) cuts.shift();
  };
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isInString) {
      if (character === '\\') i++;
      if (character !== '"') continue;
      isInString = false;
      cut(i + 1);
    } else if (character === '"') {
      isInString = true;
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      cut(i + 1);
    } else if (character === '}' || character === ']') {
      closers.pop();
      cut(i + 1);
    } else if (character === ',') {
      cut(i);
    }
  }
  return cuts.reverse().map(({ end, closing }) => text.slice(0, end) + closing);
}
