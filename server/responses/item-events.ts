/**
 * The events that tell of one item of an output, while it grows or when it is told again. Pure. Messages and reasoning
 * have one part; `index` is the item's, from 0.
 */
import type { WireTokenLogprob } from '../../protocol/openai.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import type { OutputItem, OutputText, ReasoningText } from '../../protocol/response-object.js';

/** That it is there, with nothing in it yet. */
export function itemBegin(index: number, item: OutputItem): ResponseEvent[] {
  switch (item.type) {
    case 'reasoning':
      return [
        added(index, { ...item, content: [] }),
        partEvent('added', index, item, { type: 'reasoning_text', text: '' }),
      ];
    case 'message':
      return [
        added(index, { ...item, content: [] }),
        partEvent('added', index, item, {
          ...{ type: 'output_text', text: '', annotations: [], logprobs: [] },
        }),
      ];
    case 'function_call':
      return [added(index, { ...item, arguments: '' })];
  }
}

/** That text has been added to it. @param logprobs Of the tokens of a message's text. */
export function itemDelta(
  index: number,
  item: OutputItem,
  delta: string,
  logprobs: WireTokenLogprob[],
): ResponseEvent {
  const place = { output_index: index, item_id: item.id };
  switch (item.type) {
    case 'reasoning':
      return { type: 'response.reasoning_text.delta', ...place, content_index: 0, delta };
    case 'message':
      return { type: 'response.output_text.delta', ...place, content_index: 0, delta, logprobs };
    case 'function_call':
      return { type: 'response.function_call_arguments.delta', ...place, delta };
  }
}

/** That it stays as it is now. */
export function itemEnd(index: number, item: OutputItem): ResponseEvent[] {
  const place = { output_index: index, item_id: item.id };
  const events: ResponseEvent[] = [];
  if (item.type === 'function_call') {
    const { name, arguments: text } = item;
    const type = 'response.function_call_arguments.done';
    events.push({ type, ...place, name, arguments: text });
  } else {
    for (const part of item.content) {
      if (part.type === 'refusal') continue;
      const textPlace = { ...place, content_index: 0, text: part.text };
      events.push(
        part.type === 'reasoning_text'
          ? { type: 'response.reasoning_text.done', ...textPlace }
          : { type: 'response.output_text.done', ...textPlace, logprobs: part.logprobs ?? [] },
        partEvent('done', index, item, part),
      );
    }
  }
  return [...events, { type: 'response.output_item.done', output_index: index, item }];
}

function added(index: number, item: OutputItem): ResponseEvent {
  return {
    ...{ type: 'response.output_item.added', output_index: index },
    item: { ...item, status: 'in_progress' },
  };
}

function partEvent(
  what: 'added' | 'done',
  index: number,
  { id }: OutputItem,
  part: OutputText | ReasoningText,
): ResponseEvent {
  const place = { output_index: index, item_id: id, content_index: 0 };
  return { type: `response.content_part.${what}`, ...place, part };
}
