import type { JsonObject, ReplyContext } from '../adapter.js';
import { generatedCallId } from '../conversation/call-ids.js';
import { type Citation, responsesAnnotation } from '../conversation/citations.js';
import { textOf } from '../json/json.js';
import { itemId } from './response-object.js';

// The output of a response is a list of items of several kinds.

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

interface Placed {
  id: string;
  /** Index of the item in the output. */
  place: number;
}

export interface MessageItem extends Placed {
  kind: 'message';
  text: string;
  citations: Citation[];
}

interface ReasoningItem extends Placed {
  kind: 'reasoning';
  text: string;
}

export interface CallItem extends Placed {
  kind: 'call';
  callId: string;
  name: string;
  /** The arguments received so far. */
  text: string;
}

interface PictureItem extends Placed {
  kind: 'picture';
  /** Base64. */
  text: string;
}

export type Item = MessageItem | ReasoningItem | CallItem | PictureItem;

const PREFIXES: Readonly<Record<Item['kind'], string>> = {
  message: 'msg',
  reasoning: 'rs',
  call: 'fc',
  picture: 'ig',
};

/**
 * A client that believes its answers are stored sends their texts and calls in full but refers to their thoughts by id. Such references are
 * dropped, because thoughts are not part of the question.
 */
export const namesThought = ({ type, id }: JsonObject): boolean =>
  type === 'item_reference' && textOf(id).startsWith(`${PREFIXES.reasoning}_`);

export const placed = (kind: Item['kind'], place: number, context: ReplyContext): Placed => ({
  id: itemId(context, PREFIXES[kind], place),
  place,
});

export const callItem = (
  { id, name }: { id: string; name: string },
  place: number,
  context: ReplyContext,
): CallItem => ({
  kind: 'call',
  ...placed('call', place, context),
  callId: id || generatedCallId('call', context.requestId, place),
  name,
  text: '',
});

export const textContent = (text: string, citations: readonly Citation[] = []): JsonObject => ({
  type: 'output_text',
  annotations: citations.map(responsesAnnotation),
  logprobs: [],
  text,
});
export const summaryContent = (text: string): JsonObject => ({ type: 'summary_text', text });

/** An item as in the event that begins it, without content. */
export function begun(item: Item): JsonObject {
  switch (item.kind) {
    case 'message':
      return { id: item.id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    case 'reasoning':
      return { id: item.id, type: 'reasoning', summary: [] };
    case 'call':
      return { ...written(item, 'in_progress'), arguments: '' };
    case 'picture':
      return { id: item.id, type: 'image_generation_call', status: 'in_progress', result: null };
  }
}

/** A call of a tool without parameters may have no text at all, but clients parse the arguments of every call. */
export const argumentsOf = ({ text }: Item): string => text || '{}';

/** An item with its whole content. */
export function written(item: Item, status: ItemStatus): JsonObject {
  switch (item.kind) {
    case 'message':
      return {
        id: item.id,
        type: 'message',
        status,
        role: 'assistant',
        content: [textContent(item.text, item.citations)],
      };
    case 'reasoning':
      return { id: item.id, type: 'reasoning', summary: [summaryContent(item.text)] };
    case 'call':
      return {
        id: item.id,
        type: 'function_call',
        status,
        arguments: argumentsOf(item),
        call_id: item.callId,
        name: item.name,
      };
    case 'picture':
      return { id: item.id, type: 'image_generation_call', status, result: item.text };
  }
}
