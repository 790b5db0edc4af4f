import type { Json, JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';
import { madeSearches, statedSearches } from '../request/search-tools.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { responsePart } from './parts.js';
import { outputWithThoughts } from './thoughts-as-text.js';

const statesError = (error: Json | undefined): boolean => isObject(error) && Object.values(error).some(Boolean);

/** The body with an `error` object; unlike in other dialects, code and message may be top-level members. */
function withError(json: JsonObject): JsonObject {
  if (statesError(json.error)) return json;
  if (json.type === 'error') return { error: { message: json.message, code: json.code, type: 'openai_error' } };
  return json.status === 'failed' ? { error: { message: 'the response failed' } } : json;
}

/** The error of a response or event. Those of this dialect state no type, but clients expect one. */
export function responseFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const { response } = json;
  if (isObject(response)) return textOf(response.status) === 'failed' ? responseFault(response, secrets) : undefined;
  const body = withError(json);
  const fault = findFault(body, secrets);
  return fault && isObject(body.error) && !body.error.type ? { ...fault, type: 'openai_error' } : fault;
}

/**
 * Reads a response for a client of POST /v1/responses. The client gets the upstream's bytes; only `thinking_to_content` changes the output.
 */
export function responsesReply(body: Buffer, context: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? responseFault(json, context.secrets) : unreadableReply;
  if (!json || fault || !Array.isArray(json.output))
    return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  const searches = statedSearches(madeSearches(json.output));
  const usage = openAiUsage(objectOf(json.usage));
  return {
    body: context.setting.thinking_to_content
      ? replaceMembers(body, new Map([['output', outputWithThoughts(json.output)]]))
      : body,
    usage: usage && { ...usage, ...searches },
    text: () => {
      const { text, toolCalls } = responsePart(json);
      return { ...appendText(noText, text, toolCalls), ...searches };
    },
  };
}
