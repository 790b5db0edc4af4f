import { type FakeDialect, type FakeExchange, type Frame, type JsonObject, reportedUsages } from '../dialects.js';
import { listIn, type Native, type NativeCall, type NativeError, type NativeTurn, textIn } from './native.js';

const usageOf = (exchange: FakeExchange): JsonObject => {
  const reported = reportedUsages(exchange).at(-1);
  if (!reported) return {};
  const { promptTokens, completionTokens } = reported;
  const token_count = promptTokens + completionTokens;
  return { usage: { token_count, input_count: promptTokens, output_count: completionTokens } };
};

const answer = (content: string): JsonObject => ({ role: 'assistant', type: 'answer', content, content_type: 'text' });
const chatOf = (id: string, status: string): JsonObject => ({
  ...{ id, conversation_id: `con-${id}`, bot_id: 'bot', status },
  last_error: { code: 0, msg: '' },
});
const frame = (type: string, value: JsonObject): Frame => [`conversation.${type}`, JSON.stringify(value)];
const failure = ({ message, code }: { message: string; code: string }): JsonObject => ({
  code: Number(code) || 5000,
  msg: message,
});

const streamed: FakeDialect = {
  reply: (exchange) => JSON.stringify({ code: 0, data: { ...chatOf(exchange.id, 'completed'), ...usageOf(exchange) } }),
  opening: ({ id }) => [
    frame('chat.created', chatOf(id, 'created')),
    frame('chat.in_progress', chatOf(id, 'in_progress')),
  ],
  word: ({ id }, text) => frame('message.delta', { ...answer(text), chat_id: id }),
  closing: (exchange) => [
    frame('message.completed', { ...answer(exchange.words.join('')), chat_id: exchange.id }),
    frame('chat.completed', { ...chatOf(exchange.id, 'completed'), ...usageOf(exchange) }),
    ['done', '"[DONE]"'],
  ],
  error: failure,
  errorFrame: (details) => frame('chat.failed', { ...chatOf('x', 'failed'), last_error: failure(details) }),
};

/** The reply to a request for the messages of a finished chat. */
const listed: FakeDialect = {
  ...streamed,
  reply: ({ words }) =>
    JSON.stringify({ code: 0, msg: '', data: [{ ...answer('{}'), type: 'verbose' }, answer(words.join(''))] }),
};

const badKey: NativeError = { status: 401, message: 'authentication is invalid', type: '', code: '4100' };
const noUser: NativeError = { status: 400, message: 'user_id is required', type: '', code: '4000' };

/** Prompts of unstreamed chats by their id, which clients poll for. */
const chats = new Map<string, JsonObject>();

const turn = (dialect: FakeDialect, prompt: JsonObject, isStream: boolean): NativeTurn => ({
  ...{ dialect, model: '', isStream, prompt },
});

/** The reply to a poll: the chat has always finished by then. */
function laterReply({ url }: NativeCall): ReturnType<Native> {
  const prompt = chats.get(url.searchParams.get('chat_id') ?? '');
  if (!prompt) return { status: 200, json: { code: 4000, msg: 'there is no such chat' } };
  return turn(url.pathname.endsWith('/message/list') ? listed : streamed, prompt, false);
}

/** Chats and file uploads of Coze. */
export const coze: Native = (call) => {
  const { url, headers, json, bytes } = call;
  if (url.pathname.endsWith('/v1/files/upload'))
    return { status: 200, json: { code: 0, msg: '', data: { id: `coze-file-${bytes.length}` } } };
  if (/\/v3\/chat\/(?:retrieve|message\/list)$/.test(url.pathname)) return laterReply(call);
  if (!url.pathname.endsWith('/v3/chat')) return undefined;
  if (headers.authorization === 'Bearer bad-key') return { status: 401, json: failure(badKey) };
  if (textIn(json.user_id) === '') return { status: 400, json: failure(noUser) };
  const prompt = { messages: listIn(json.additional_messages).map(({ content }) => ({ content: textIn(content) })) };
  if (json.stream === true) return turn(streamed, prompt, true);
  const id = String(chats.size + 1);
  chats.set(id, prompt);
  return { status: 200, json: { code: 0, msg: '', data: chatOf(id, 'in_progress') } };
};
