import type { EmbeddingsAdapter, JsonObject, Provider } from '../adapter.js';
import { everyClient } from '../clients/every-client.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { limitedBy } from '../conversation/unchanged.js';
import { unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { errorOf, type Piece, plainReader, plainReply } from '../plain/reply.js';
import { noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { baiduToken } from './address.js';
import { baiduFault } from './faults.js';
import { baiduEmbeddings, baiduRequest, MIN_OUTPUT } from './request.js';

/** Baidu's replies name no model; clients get these names instead. */
const CHAT_LABEL = 'ernie-bot';
const EMBEDDINGS_LABEL = 'baidu-embedding';

const finishes: Readonly<Record<string, string>> = {
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
};

function finishOf(json: JsonObject, hasCall: boolean): string {
  if (hasCall) return 'tool_calls';
  return json.is_truncated === true ? 'length' : (finishes[textOf(json.finish_reason)] ?? 'stop');
}

function pieceOf(json: JsonObject, isLast: boolean): Piece {
  const call = objectOf(json.function_call);
  const name = textOf(call.name);
  return {
    id: textOf(json.id),
    model: CHAT_LABEL,
    text: textOf(json.result),
    ...(name && { calls: [{ index: 0, id: '', name, arguments: textOf(call.arguments) }] }),
    finish: isLast ? finishOf(json, name !== '') : '',
    usage: openAiUsage(json.usage, { outputIsTotalMinusPrompt: true }),
  };
}

const wholeOf = (json: JsonObject): Piece | undefined =>
  typeof json.result === 'string' || json.function_call ? pieceOf(json, true) : undefined;

const upstream: UpstreamSide = {
  writeRequest: baiduRequest,
  readReply: plainReply(wholeOf, baiduFault),
  reader: plainReader((json) => pieceOf(json, json.is_end === true), baiduFault),
  raw: limitedBy('max_output_tokens', MIN_OUTPUT),
};

const embeddings: EmbeddingsAdapter = {
  toUpstream: baiduEmbeddings,
  fromReply(body, { secrets }) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? baiduFault(json, secrets) : unreadableReply;
    if (!json || fault || !Array.isArray(json.data))
      return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
    const data = arrayOf(json.data).map((item, index) => ({ ...objectOf(item), object: 'embedding', index }));
    const list = { object: 'list', data, model: EMBEDDINGS_LABEL, usage: json.usage };
    return {
      body: Buffer.from(JSON.stringify(list)),
      usage: openAiUsage(json.usage, { hasNoOutput: true }),
      text: () => noText,
    };
  },
};

/** Baidu's Wenxin Workshop. The two halves of the key are exchanged for a token. */
export const baidu = {
  ...everyClient(upstream),
  embeddings,
  authorize: async (_, target, tokens) => {
    const exchange = baiduToken(target);
    const token = await tokens.get(exchange);
    return { query: { access_token: token }, grant: { id: exchange.id, token } };
  },
  readError(body) {
    const json = parseObject(body ?? '') ?? {};
    const fault = baiduFault(json, []);
    return fault ? errorOf(fault) : json;
  },
} satisfies Provider;
