/** A response that is kept → the events of its stream once more, each text in one delta. Pure. */
import type { ResponseEvent } from '../../protocol/response-events.js';
import type { OutputItem, ResponseObject } from '../../protocol/response-object.js';
import { itemBegin, itemDelta, itemEnd } from './item-events.js';

export function replay(response: ResponseObject): ResponseEvent[] {
  const { timings: _, ...settings } = response;
  const begun: ResponseObject = {
    ...settings,
    ...{ status: 'in_progress', completed_at: null, error: null, incomplete_details: null },
    ...{ output: [], usage: null },
  };
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => {
      // What a failure cut off was never told as done.
      const isOpen = response.status === 'failed' && item.status === 'incomplete';
      return [
        ...itemBegin(index, item),
        ...growth(index, item),
        ...(isOpen ? [] : itemEnd(index, item)),
      ];
    }),
    { type: lastEvent(response.status), response },
  ];
}

function growth(index: number, item: OutputItem): ResponseEvent[] {
  if (item.type === 'function_call') {
    return item.arguments === '' ? [] : [itemDelta(index, item, item.arguments, [])];
  }
  return item.content.flatMap((part) => {
    if (part.type === 'refusal' || part.text === '') return [];
    const logprobs = part.type === 'output_text' ? (part.logprobs ?? []) : [];
    return [itemDelta(index, item, part.text, logprobs)];
  });
}

function lastEvent(status: ResponseObject['status']) {
  switch (status) {
    case 'completed':
    case 'failed':
      return `response.${status}` as const;
    // Its client left before the end, and the protocol has no event for that.
    case 'cancelled':
    case 'incomplete':
    case 'in_progress':
      return 'response.incomplete';
  }
}
