import type { JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';
import { madeSearches, statedSearches } from '../request/search-tools.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { responsePart } from './parts.js';
import { outputWithThoughts } from './thoughts-as-text.js';

/** The error of a response or event; unlike in other dialects, code and message may be top-level members. */
export function responseFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const { response } = json;
  if (isObject(response)) return textOf(response.status) === 'failed' ? responseFault(response, secrets) : undefined;
  if (json.type === 'error' && !isObject(json.error))
    return findFault({ error: { message: json.message, code: json.code, type: 'upstream_error' } }, secrets);
  const isFailed = json.status === 'failed' && !isObject(json.error);
  return findFault(isFailed ? { error: { message: 'the response failed' } } : json, secrets);
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
