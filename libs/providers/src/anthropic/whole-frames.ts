import type { Usage } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { typedFrame } from '../stream/stream-fold.js';
import { toAnthropicUsage } from '../usage.js';

/** A block as it begins, and the deltas that complete it. */
function inPieces(block: JsonObject): { begun: JsonObject; deltas: JsonObject[] } {
  const { type, text, citations, thinking, signature, input } = block;
  if (type === 'text')
    return {
      begun: { ...block, text: '', ...(Array.isArray(citations) && { citations: [] }) },
      deltas: [
        { type: 'text_delta', text: textOf(text) },
        ...arrayOf(citations).map((citation) => ({ type: 'citations_delta', citation })),
      ],
    };
  if (type === 'thinking')
    return {
      begun: { ...block, thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking: textOf(thinking) },
        { type: 'signature_delta', signature: textOf(signature) },
      ],
    };
  // Calls, also those of tools that Anthropic runs.
  if (isObject(input))
    return {
      begun: { ...block, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    };
  return { begun: block, deltas: [] };
}

function blockFrames(block: JsonObject, index: number): string[] {
  const { begun, deltas } = inPieces(block);
  return [
    typedFrame({ type: 'content_block_start', index, content_block: begun }),
    ...deltas.map((delta) => typedFrame({ type: 'content_block_delta', index, delta })),
    typedFrame({ type: 'content_block_stop', index }),
  ];
}

/** Writes a whole message as the events of a stream; `usage` is the booked usage. */
export function messagesFrames(reply: JsonObject, usage: Usage): string[] {
  const { content, stop_reason, stop_sequence = null, stop_details, usage: stated, ...message } = reply;
  const counts = isObject(stated) ? stated : toAnthropicUsage(usage);
  const nothingYet = { content: [], stop_reason: null, stop_sequence: null, usage: { ...counts, output_tokens: 0 } };
  const end = { stop_reason: textOf(stop_reason) || 'end_turn', stop_sequence, stop_details };
  return [
    typedFrame({ type: 'message_start', message: { ...message, ...nothingYet } }),
    ...arrayOf(content).map(objectOf).flatMap(blockFrames),
    typedFrame({ type: 'message_delta', delta: end, usage: counts }),
    typedFrame({ type: 'message_stop' }),
  ];
}
