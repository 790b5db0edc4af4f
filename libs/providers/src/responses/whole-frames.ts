import type { JsonObject } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import { type TypedEvent, typedFrame } from '../stream/stream-fold.js';

const listAt = (json: JsonObject, name: string): JsonObject[] => arrayOf(json[name]).map(objectOf);

/** The events of a part of a message; a part of another type than text is told by its whole alone. */
function partEvents(part: JsonObject, place: JsonObject): TypedEvent[] {
  const text = textOf(part.text);
  const logprobs = arrayOf(part.logprobs);
  const isText = part.type === 'output_text';
  const said: TypedEvent[] = [
    { type: 'response.output_text.delta', ...place, delta: text, logprobs },
    ...listAt(part, 'annotations').map((annotation, index) => ({
      ...{ type: 'response.output_text.annotation.added', ...place },
      ...{ annotation_index: index, annotation },
    })),
    { type: 'response.output_text.done', ...place, text, logprobs },
  ];
  return [
    {
      type: 'response.content_part.added',
      ...place,
      part: isText ? { ...part, text: '', annotations: [], logprobs: [] } : part,
    },
    ...(isText ? said : []),
    { type: 'response.content_part.done', ...place, part },
  ];
}

function summaryEvents(part: JsonObject, place: JsonObject): TypedEvent[] {
  const text = textOf(part.text);
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...place, delta: text },
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

/** An item as it begins, and the events that complete it; an item of another type than these is told by its whole alone. */
function inPieces(item: JsonObject, place: JsonObject): { begun: JsonObject; events: TypedEvent[] } {
  const { type, arguments: args, name } = item;
  if (type === 'message')
    return {
      begun: { ...item, status: 'in_progress', content: [] },
      events: listAt(item, 'content').flatMap((part, index) => partEvents(part, { ...place, content_index: index })),
    };
  if (type === 'reasoning')
    return {
      begun: { ...item, summary: [] },
      events: listAt(item, 'summary').flatMap((part, index) => summaryEvents(part, { ...place, summary_index: index })),
    };
  if (type !== 'function_call') return { begun: item, events: [] };
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    events: [
      { type: 'response.function_call_arguments.delta', ...place, delta: textOf(args) },
      { type: 'response.function_call_arguments.done', ...place, name, arguments: textOf(args) },
    ],
  };
}

function itemEvents(item: JsonObject, index: number): TypedEvent[] {
  const { begun, events } = inPieces(item, { item_id: item.id, output_index: index });
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...events,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** Writes a whole response as the events of a stream. */
export function responsesFrames(reply: JsonObject): string[] {
  const response = { ...reply, status: 'in_progress', output: [], usage: null };
  const ending = reply.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  const events: TypedEvent[] = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...listAt(reply, 'output').flatMap(itemEvents),
    { type: ending, response: reply },
  ];
  return events.map(({ type, ...data }, index) => typedFrame({ type, sequence_number: index, ...data }));
}
