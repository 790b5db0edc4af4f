import type { JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import type { Choice } from '../conversation/conversation.js';
import { callsIn } from '../conversation/conversation.js';
import type { ReadReply } from '../conversation/converse.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { parseObject } from '../json/json.js';
import { statedSearches } from '../request/search-tools.js';
import { appendText, noText } from '../stream/transcript.js';
import { field, listAt, objectAt, textAt } from './fields.js';
import { blockReason, groundingSearches, linesOf, picturesIn, readGeminiPart, toFinishReason } from './parts.js';
import { geminiUsage } from './usage.js';

const NO_CANDIDATES: UpstreamFault = {
  class: 'upstream',
  message: 'No candidates returned',
  type: 'server_error',
  code: '500',
};

/** A prompt that Google refused, for clients of dialects that cannot express this in a reply. */
export function blockedFault(json: JsonObject): UpstreamFault | undefined {
  const reason = blockReason(json);
  if (reason === '') return undefined;
  return {
    class: 'invalid',
    message: `the prompt was blocked by the upstream: ${reason}`,
    type: 'invalid_request_error',
    code: 'content_filter',
  };
}

function partText(json: JsonObject) {
  const { text, toolCalls } = readGeminiPart(json);
  const pictures = picturesIn(json);
  const searches = statedSearches({ google: groundingSearches(json) });
  return { ...appendText(noText, text, toolCalls), ...(pictures > 0 && { pictures }), ...searches };
}

/** Reads a complete reply for a Gemini client. The client gets the upstream's bytes, which are parsed for usage and errors only. */
export function geminiReply(body: Buffer, context: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, context.secrets) : unreadableReply;
  if (!json || fault) return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  const usage = geminiUsage(field(json, 'usageMetadata'), picturesIn(json));
  const hasAnswer = listAt(json, 'candidates').length > 0 || blockReason(json) !== '';
  return {
    body,
    usage: usage && { ...usage, ...statedSearches({ google: groundingSearches(json) }) },
    ...(!hasAnswer && { fault: NO_CANDIDATES }),
    text: () => partText(json),
  };
}

function choiceOf(candidate: JsonObject): Choice {
  const parts = linesOf(objectAt(candidate, 'content'));
  const finish = toFinishReason(textAt(candidate, 'finishReason'));
  return { parts, finish: callsIn(parts).length > 0 && finish === 'stop' ? 'tool_calls' : finish };
}

/** Reads a complete reply for clients of other dialects. */
export function readGeminiReply(body: Buffer, context: ReplyContext): ReadReply {
  const { body: _, ...read } = geminiReply(body, context);
  if (read.fault) return read;
  const json = parseObject(body.toString('utf8')) ?? {};
  const fault = blockedFault(json);
  if (fault) return { ...read, fault };
  const choices = listAt(json, 'candidates').map(choiceOf);
  return { ...read, reply: { id: textAt(json, 'responseId'), model: textAt(json, 'modelVersion'), choices } };
}
