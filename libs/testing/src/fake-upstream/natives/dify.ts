import {
  type FakeDialect,
  type FakeExchange,
  type Frame,
  type JsonObject,
  openAiUsage,
  reportedUsages,
} from '../dialects.js';
import { type Native, type NativeError, textIn } from './native.js';

const endOf = (exchange: FakeExchange): JsonObject => {
  const reported = reportedUsages(exchange).at(-1);
  return { metadata: reported ? { usage: openAiUsage(reported) } : {} };
};

const named = ({ id }: FakeExchange): JsonObject => ({
  id,
  message_id: id,
  conversation_id: `con-${id}`,
  task_id: `t-${id}`,
});
const frame = (value: JsonObject): Frame => [undefined, JSON.stringify(value)];

const difyDialect: FakeDialect = {
  reply: (exchange) =>
    JSON.stringify({
      event: 'message',
      ...named(exchange),
      mode: 'chat',
      answer: exchange.words.join(''),
      ...endOf(exchange),
    }),
  opening: (exchange) => [
    ['ping', ''],
    frame({ event: 'workflow_started', ...named(exchange), data: { workflow_id: 'wf-1' } }),
    frame({ event: 'node_started', ...named(exchange), data: { node_type: 'llm' } }),
  ],
  word: (exchange, answer) => frame({ event: 'message', ...named(exchange), answer }),
  closing: (exchange) => [frame({ event: 'message_end', ...named(exchange), ...endOf(exchange) })],
  error: ({ message, code }) => ({ code, message, status: 400 }),
  errorFrame: ({ message, code }) => frame({ event: 'error', status: 500, code, message }),
};

const badKey: NativeError = { status: 401, message: 'Access token is invalid', type: '', code: 'unauthorized' };
const noUser: NativeError = { status: 400, message: 'Arg user must be provided.', type: '', code: 'invalid_param' };

/** Apps of Dify, and the files uploaded for their questions. */
export const dify: Native = ({ url, headers, json, bytes }) => {
  const isBad = headers.authorization === 'Bearer bad-key';
  if (url.pathname.endsWith('/v1/files/upload') && bytes.includes('name="user"')) {
    if (isBad) return { status: 401, json: difyDialect.error(badKey) };
    return { status: 201, json: { id: `dify-file-${bytes.length}`, name: 'image.png', mime_type: 'image/png' } };
  }
  if (!url.pathname.endsWith('/v1/chat-messages')) return undefined;
  const refusal = isBad ? badKey : textIn(json.user) === '' ? noUser : undefined;
  return {
    dialect: difyDialect,
    model: '',
    isStream: json.response_mode === 'streaming',
    prompt: { messages: [{ content: textIn(json.query) }] },
    refusal,
  };
};
