import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { callId, pairCalls } from '../conversation/call-ids.js';
import type { Conversation, MediaPart, Part, TextPart, Tool, Turn } from '../conversation/conversation.js';
import { callsIn, joined, refusePart, stated, urlOfSource } from '../conversation/conversation.js';
import { contentText, jsonRequest, overridden, PLACEHOLDER, textOnly, within } from '../plain/request.js';

const NAME = 'Tencent';
const DEFAULT_BASE_URL = 'https://hunyuan.tencentcloudapi.com';

function contentOf(part: TextPart | MediaPart): JsonObject {
  if (part.type === 'text') return { Type: 'text', Text: part.text };
  if (part.type !== 'image')
    return refusePart(part, `${NAME} takes texts and images only: content of type ${part.type}`);
  return { Type: 'image_url', ImageUrl: { Url: urlOfSource(part.source) } };
}

const isSaid = (part: Part): part is TextPart | MediaPart =>
  part.type !== 'tool-result' && part.type !== 'tool-call' && part.type !== 'thinking';

function userMessages(parts: Part[]): JsonObject[] {
  const results = parts.flatMap((part): JsonObject[] =>
    part.type === 'tool-result'
      ? [{ Role: 'tool', ToolCallId: part.callId, Content: contentText(part.content, NAME) || PLACEHOLDER }]
      : [],
  );
  const contentParts = parts.filter(isSaid);
  if (contentParts.length === 0 && results.length > 0) return results;
  const isPlain = contentParts.every(({ type }) => type === 'text');
  const content = isPlain
    ? { Content: textOnly(contentParts, NAME) || PLACEHOLDER }
    : { Contents: contentParts.map(contentOf) };
  return [...results, { Role: 'user', ...content }];
}

function assistantMessage(parts: Part[]): JsonObject {
  const text = joined(parts, 'text');
  const calls = callsIn(parts).map(({ id, name, arguments: written }) => ({
    Id: id,
    Type: 'function',
    Function: { Name: name, Arguments: written || '{}' },
  }));
  return {
    Role: 'assistant',
    Content: text || (calls.length > 0 ? '' : PLACEHOLDER),
    ...(calls.length > 0 && { ToolCalls: calls }),
  };
}

const messagesOf = ({ role, parts }: Turn): JsonObject[] =>
  role === 'assistant' ? [assistantMessage(parts)] : userMessages(parts);

/** A tool's parameter schema is sent as a JSON string. */
const toolOf = ({ name, description, parameters }: Tool): JsonObject => ({
  Type: 'function',
  Function: stated<JsonObject>({
    Name: name,
    Description: description,
    Parameters: JSON.stringify(parameters ?? { type: 'object', properties: {} }),
  }),
});

/** Tencent cannot demand "some tool", so the model decides instead. */
function toolMembers({ tools, toolChoice }: Conversation): JsonObject {
  if (tools.length === 0) return {};
  const named = toolChoice?.type === 'tool' ? tools.find(({ name }) => name === toolChoice.name) : undefined;
  return {
    Tools: tools.map(toolOf),
    ToolChoice: named ? 'custom' : toolChoice?.type === 'none' ? 'none' : 'auto',
    ...(named && { CustomTool: toolOf(named) }),
  };
}

/** Writes a request for ChatCompletions, version 2023-09-01, which has no parameter for the length of the answer. */
export function tencentRequest(
  conversation: Conversation,
  request: ClientRequest,
  target: ChannelTarget,
): UpstreamRequest {
  const { sampling, stream = false } = conversation;
  const system = textOnly(conversation.system, NAME);
  const json = stated<JsonObject>({
    Model: target.model,
    Messages: [
      ...(system ? [{ Role: 'system', Content: system }] : []),
      ...pairCalls(conversation.turns, callId).flatMap(messagesOf),
    ],
    Stream: stream,
    TopP: within(sampling.topP, 0, 1),
    Temperature: within(sampling.temperature, 0, 2),
    Stop: sampling.stop.length > 0 ? sampling.stop : undefined,
    Seed: sampling.seed,
    ...toolMembers(conversation),
  });
  const base = (target.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '');
  return jsonRequest(`${base}/`, overridden(json, request, target), stream);
}
