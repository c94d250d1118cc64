/**
 * `after`, with every part that equals the one at the same place in `before` replaced by that one: who compares parts by
 * identity sees only what changed. For JSON values.
 */
export function share<T>(before: unknown, after: T): T;
export function share(before: unknown, after: unknown): unknown {
  if (Object.is(before, after)) return before;
  if (Array.isArray(before) && Array.isArray(after)) {
    const shared = after.map((value, i) => share(before[i], value));
    const same =
      before.length === after.length && shared.every((value, i) => Object.is(value, before[i]));
    return same ? before : shared;
  }
  if (isObject(before) && isObject(after)) {
    const entries = Object.entries(after).map(
      ([key, value]) =>
        [key, share(Object.hasOwn(before, key) ? before[key] : null, value)] as const,
    );
    const same =
      Object.keys(before).length === entries.length &&
      entries.every(([key, value]) => Object.hasOwn(before, key) && Object.is(value, before[key]));
    return same ? before : Object.fromEntries(entries);
  }
  return after;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
