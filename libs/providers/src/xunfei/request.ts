import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { callId, pairCalls } from '../conversation/call-ids.js';
import type { Conversation, Part } from '../conversation/conversation.js';
import { stated } from '../conversation/conversation.js';
import { parseObject } from '../json/json.js';
import {
  alternating,
  contentText,
  limitOf,
  overridden,
  PLACEHOLDER,
  type PlainMessage,
  textOnly,
  within,
} from '../plain/request.js';
import { domainOf, knowsSystem, sparkKeyOf, sparkUrl, versionOf } from './address.js';
import { isLastMessage } from './reply.js';

const NAME = 'Xunfei Spark';
/** Largest output limit that Spark accepts. */
const MAX_OUTPUT = 8192;

/** Spark has no roles for tool calls and their results, so both are written as text. */
function textOfPart(part: Part): string {
  if (part.type === 'tool-call') return JSON.stringify({ name: part.name, arguments: part.arguments });
  if (part.type === 'tool-result') return `${part.name}: ${contentText(part.content, NAME)}`;
  return textOnly([part], NAME);
}

function messagesOf({ system, turns }: Conversation, version: string): PlainMessage[] {
  const rules = textOnly(system, NAME);
  const messages = pairCalls(turns, callId).map(({ role, parts }) => ({
    role,
    content: parts.map(textOfPart).filter(Boolean).join('\n') || PLACEHOLDER,
  }));
  if (rules === '') return alternating(messages);
  if (knowsSystem(version)) return [{ role: 'system', content: rules }, ...alternating(messages)];
  return alternating([{ role: 'user', content: rules }, { role: 'assistant', content: 'Okay' }, ...messages]);
}

function functionsOf({ tools, toolChoice }: Conversation): JsonObject {
  if (tools.length === 0 || toolChoice?.type === 'none') return {};
  const text = tools.map(({ name, description, parameters }) =>
    stated<JsonObject>({
      name,
      description: description ?? name,
      parameters: parameters ?? { type: 'object', properties: {} },
    }),
  );
  return { functions: { text } };
}

/** The single WebSocket message of a request. A channel's override applies to `parameter.chat`. */
export function sparkRequest(
  conversation: Conversation,
  request: ClientRequest,
  target: ChannelTarget,
): UpstreamRequest {
  const version = versionOf(target, request.apiVersion);
  const { sampling, user } = conversation;
  const chat = overridden(
    stated<JsonObject>({
      domain: domainOf(version),
      temperature: within(sampling.temperature, 0.01, 1),
      top_k: within(sampling.topK, 1, 6),
      max_tokens: within(limitOf(conversation, request), 1, MAX_OUTPUT),
    }),
    request,
    target,
  );
  const { outputLimit } = request;
  if (outputLimit !== undefined && typeof chat.max_tokens === 'number')
    chat.max_tokens = Math.min(chat.max_tokens, outputLimit);
  const text = messagesOf(conversation, version).map((message): JsonObject => ({ ...message }));
  const json: JsonObject = {
    header: stated<JsonObject>({ app_id: sparkKeyOf(target.key).appId, uid: user?.slice(0, 32) }),
    parameter: { chat },
    payload: { message: { text }, ...functionsOf(conversation) },
  };
  return {
    method: 'GET',
    url: sparkUrl(target, version),
    headers: {},
    body: Buffer.from(JSON.stringify(json)),
    socket: { isLast: (message) => isLastMessage(parseObject(message)) },
  };
}
