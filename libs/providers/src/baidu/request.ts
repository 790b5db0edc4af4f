import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { callId, pairCalls } from '../conversation/call-ids.js';
import type { Conversation, Part, ToolCallPart, Turn } from '../conversation/conversation.js';
import { callsIn, stated } from '../conversation/conversation.js';
import {
  contentText,
  jsonRequest,
  limitOf,
  overridden,
  PLACEHOLDER,
  refuse,
  textOnly,
  within,
} from '../plain/request.js';
import { baiduUrl } from './address.js';

const NAME = 'Baidu';
/** Smallest output limit that Baidu accepts. */
export const MIN_OUTPUT = 2;

/** An assistant turn can hold only one call, and its result must follow it. */
const callMessage = ({ name, arguments: written }: ToolCallPart): JsonObject => ({
  role: 'assistant',
  content: '',
  function_call: { name, arguments: written || '{}' },
});

interface Answered {
  call: ToolCallPart;
  result: string;
}

const isPlain = ({ type }: Part): boolean => type !== 'tool-call' && type !== 'tool-result';

function resultsOf(turns: readonly Turn[]): Map<string, string> {
  const results = new Map<string, string>();
  for (const { parts } of turns)
    for (const part of parts)
      if (part.type === 'tool-result') results.set(part.callId, contentText(part.content, NAME) || PLACEHOLDER);
  return results;
}

/** Writes parallel calls one after another, each with its result, because Baidu has no parallel calls. */
function callMessages(parts: Part[], results: Map<string, string>): JsonObject[] {
  const answered = callsIn(parts).flatMap((call): Answered[] => {
    const result = results.get(call.id);
    return result === undefined ? [] : [{ call, result }];
  });
  return answered.flatMap(({ call, result }) => [
    callMessage(call),
    { role: 'function', name: call.name, content: result },
  ]);
}

/** Adds text to the last message if that has the same role, or is a tool result and the text is the user's; else as a new message. */
function append(messages: JsonObject[], role: Turn['role'], text: string): void {
  const last = messages.at(-1);
  if (last && (last.role === role || (role === 'user' && last.role === 'function')))
    last.content = [String(last.content), text].filter(Boolean).join('\n') || PLACEHOLDER;
  else messages.push({ role, content: text || PLACEHOLDER });
}

function messagesOf(conversation: Conversation): JsonObject[] {
  const turns = pairCalls(conversation.turns, callId);
  const results = resultsOf(turns);
  const messages: JsonObject[] = [];
  for (const { role, parts } of turns) {
    const textParts = parts.filter(isPlain);
    const calls = callMessages(parts, results);
    if (calls.length > 0) messages.push(...calls);
    // The results were already written behind their calls.
    else if (textParts.length > 0 || parts.length === 0) append(messages, role, textOnly(textParts, NAME));
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: PLACEHOLDER });
  return messages;
}

function toolMembers({ tools, toolChoice }: Conversation): JsonObject {
  if (tools.length === 0 || toolChoice?.type === 'none') return {};
  return {
    functions: tools.map(({ name, description, parameters }) =>
      stated<JsonObject>({
        name,
        description: description ?? name,
        parameters: parameters ?? { type: 'object', properties: {} },
      }),
    ),
    ...(toolChoice?.type === 'tool' && {
      tool_choice: { type: 'function', function: { name: toolChoice.name ?? '' } },
    }),
  };
}

/** Writes a request of the workshop's chat. `system` is a separate string. */
export function baiduRequest(
  conversation: Conversation,
  request: ClientRequest,
  target: ChannelTarget,
): UpstreamRequest {
  const { sampling, system, stream, user, json } = conversation;
  const limit = limitOf(conversation, request);
  const frequency = sampling.frequencyPenalty;
  const written = stated<JsonObject>({
    messages: messagesOf(conversation),
    system: system.length > 0 ? textOnly(system, NAME) : undefined,
    temperature: within(sampling.temperature, 0.01, 1),
    top_p: within(sampling.topP, 0, 1),
    penalty_score: frequency !== undefined && frequency > 0 ? within(frequency, 1, 2) : undefined,
    stream,
    stop: sampling.stop.length > 0 ? sampling.stop : undefined,
    response_format: json && 'json_object',
    user_id: user,
    ...toolMembers(conversation),
  });
  const members = overridden(written, request, target);
  const wanted = typeof members.max_output_tokens === 'number' ? members.max_output_tokens : limit;
  const most = wanted === undefined ? undefined : Math.min(wanted, request.outputLimit ?? Infinity);
  const body = { ...members, ...(most !== undefined && { max_output_tokens: Math.max(most, MIN_OUTPUT) }) };
  return jsonRequest(baiduUrl(target, 'chat'), body, stream === true);
}

/** Writes an embeddings request: one vector per text. */
export function baiduEmbeddings({ json }: ClientRequest, target: ChannelTarget): UpstreamRequest {
  const input: unknown[] = Array.isArray(json.input) ? json.input : [json.input];
  const texts = input.map((item) => (typeof item === 'string' ? item : refuse('Baidu embeds texts only, no tokens')));
  return jsonRequest(baiduUrl(target, 'embeddings'), stated<JsonObject>({ input: texts, user_id: json.user }), false);
}
