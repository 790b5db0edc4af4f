import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import type { ConversationReply, Part, TextPart } from '../conversation/conversation.js';
import { joined } from '../conversation/conversation.js';
import { callItem, type Item, placed, written } from './items.js';
import { endOf, responseObject } from './response-object.js';

/** Consecutive texts become one message. */
function addText(items: Item[], { text, citations = [] }: TextPart, context: ReplyContext): void {
  const last = items.at(-1);
  if (last?.kind === 'message') {
    last.text += text;
    last.citations.push(...citations);
  } else if (text !== '') {
    items.push({ kind: 'message', ...placed('message', items.length, context), text, citations: [...citations] });
  }
}

/** All thoughts become one item at the beginning; other parts keep their order. */
function itemsOf(parts: Part[], context: ReplyContext): Item[] {
  const items: Item[] = [];
  const thought = joined(parts, 'thinking');
  if (thought) items.push({ kind: 'reasoning', ...placed('reasoning', 0, context), text: thought });
  for (const part of parts) {
    const place = items.length;
    if (part.type === 'text') addText(items, part, context);
    else if (part.type === 'tool-call') items.push({ ...callItem(part, place, context), text: part.arguments });
    else if (part.type === 'image' && 'data' in part.source)
      items.push({ kind: 'picture', ...placed('picture', place, context), text: part.source.data });
  }
  return items;
}

/** Writes a response. It has one answer, so further ones are dropped. */
export function writeResponsesReply(
  { model, choices }: ConversationReply,
  usage: Usage | undefined,
  context: ReplyContext,
): JsonObject {
  const { parts, finish } = choices[0] ?? { parts: [], finish: '' };
  const end = endOf(finish);
  const status = end.status === 'completed' ? 'completed' : 'incomplete';
  const output = itemsOf(parts, context).map((item) => written(item, status));
  return responseObject({ ...end, model, output, usage }, context);
}
