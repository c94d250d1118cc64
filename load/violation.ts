/** What a stream can do against its protocol. */

/** Each with what it means; docs/bench.md has the same list. */
export const VIOLATIONS = {
  content_type: 'the content-type of a stream is not text/event-stream',
  not_utf8: 'an event is not valid UTF-8',
  not_json: 'an event is neither JSON nor [DONE]',
  bad_shape: 'an event lacks a field, or has one of another type or value',
  unfinished_event: 'the stream ends within an event, before its empty line',
  left_open: 'the response has no end after its last event',
  id_changed: 'the id is not the same in all chunks',
  model_changed: 'the model is not the same in all chunks',
  created_changed: 'the time of creation is not the same in all chunks',
  choice_index: 'a choice has an index that was not asked for',
  tool_index: 'tool calls are not counted from 0 without gaps, or begin without id and name',
  empty_choices: 'a chunk without choices is not the one with the usage',
  finish_missing: 'a choice has no finish_reason',
  finish_twice: 'a choice has more than one finish_reason',
  after_finish: 'a choice goes on after its finish_reason',
  usage_missing: 'usage was asked for and is not there',
  usage_unasked: 'usage is there and was not asked for',
  usage_twice: 'there is more than one chunk with usage',
  usage_misplaced: 'usage is not in a chunk of its own behind all choices',
  usage_wrong: 'the counts contradict each other, the stream, or max_tokens',
  done_missing: '[DONE] is missing',
  after_done: 'something comes after [DONE]',
  after_error: 'something comes after an error',
  index_gap: 'the index of a token is not the number of tokens before it',
  count_wrong: 'done counts other tokens than came, or more than were asked for',
  end_missing: 'neither done nor error has come',
  after_end: 'something comes after done or error',
} as const;

export type ViolationKind = keyof typeof VIOLATIONS;

export interface Violation {
  kind: ViolationKind;
  /** Of the first time, for people. */
  message: string;
  /** Number of the event where it was found first, from 0. */
  event: number;
  /** How often it was found in one stream. */
  count: number;
}

/** The violations of one stream, each kind once. */
export class Violations {
  private readonly byKind = new Map<ViolationKind, Violation>();

  add(kind: ViolationKind, event: number, detail: string): void {
    const known = this.byKind.get(kind);
    if (known) known.count++;
    else
      this.byKind.set(kind, { kind, event, message: `${VIOLATIONS[kind]}: ${detail}`, count: 1 });
  }

  list(): Violation[] {
    return [...this.byKind.values()];
  }
}
