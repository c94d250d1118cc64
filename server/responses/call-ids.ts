/**
 * Ids of calls: with a prefix on the wire, as clients know them, and bare in the conversation, since some templates
 * (Mistral's) take nothing but nine letters and digits.
 */
const PREFIX = 'call_';

export function toCallId(id: string): string {
  return PREFIX + id;
}

/** Ids that clients bring from elsewhere lose the prefix too; a call and its output stay the same. */
export function fromCallId(callId: string): string {
  return callId.startsWith(PREFIX) ? callId.slice(PREFIX.length) : callId;
}
