/** The arguments of a call as people read them; null: there are none. What is no JSON stays as it is. Pure. */
export function prettyArguments(text: string): string | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? null : JSON.stringify(value, null, 2);
}
