import { findChannelType } from '@tollgate/contracts';
import type {
  ChannelTarget,
  ClientRequest,
  EmbeddingsAdapter,
  InSteps,
  JsonObject,
  Provider,
  RerankAdapter,
  TextAdapter,
} from '@tollgate/providers';
import { v7 as uuidv7 } from 'uuid';

const DEFAULT_MODEL = 'gpt-4o-mini';
const MAX_TOKENS = 10;
/** These models spend tokens on reasoning before they answer. */
const GEMINI_MAX_TOKENS = 300;
const THINKING_MAX_TOKENS = 50;
const MOKA = 44;

/** Types that have no model to test, with the documented messages. */
const untestable: Readonly<Record<number, string>> = {
  2: 'midjourney channel test is not supported',
  5: 'midjourney plus channel test is not supported!!!',
  36: 'suno channel test is not supported',
};

/** The message if channels of this type cannot be tested. */
export const refusalOf = (type: number): string | undefined => untestable[type];

/** The model to test: the named one, the channel's test model, its first model, or a common one. */
export const testModelOf = (channel: { testModel: string; models: readonly string[] }, named: string): string =>
  [named.trim(), channel.testModel, channel.models[0] ?? ''].find((model) => model !== '') ?? DEFAULT_MODEL;

/**
 * Called with the chosen test model, so that a channel for embeddings is recognised even if the call names no model.
 */
export const isEmbeddingModel = (model: string, type: number): boolean =>
  type === MOKA || /embed|bge-|^m3e/i.test(model);

/** Whether one of the models is for reranking, which only its name shows. */
const ranksDocuments = (...models: string[]): boolean => models.some((model) => /rerank/i.test(model));

/** The token limit of a test; some models need another parameter or a higher limit. */
export function tokenLimitOf(model: string): JsonObject {
  if (/^o[13](-|$)/.test(model)) return { max_completion_tokens: MAX_TOKENS };
  if (model.includes('gemini')) return { max_tokens: GEMINI_MAX_TOKENS };
  if (!model.includes('thinking')) return { max_tokens: MAX_TOKENS };
  return model.includes('claude') ? {} : { max_tokens: THINKING_MAX_TOKENS };
}

export interface TestRequest {
  adapter: (TextAdapter | EmbeddingsAdapter | RerankAdapter) & InSteps;
  request: ClientRequest;
}

/**
 * The smallest request that proves that a channel works, or a message when the provider offers nothing that could be
 * tested.
 */
export function testRequestFor(provider: Provider | undefined, target: ChannelTarget): TestRequest | string {
  const { channelType: type, requestedModel, model } = target;
  const label = findChannelType(type)?.label ?? String(type);
  if (!provider) return `暂不支持该渠道类型：${label}`;
  if (provider.rerank && ranksDocuments(requestedModel, model)) {
    const ranking = { model: requestedModel, query: 'hi', documents: ['hello world'], top_n: 1 };
    return { adapter: provider.rerank, request: clientRequest('openai', ranking) };
  }
  const wantsEmbedding =
    isEmbeddingModel(requestedModel, type) || isEmbeddingModel(model, type) || !(provider.chat ?? provider.messages);
  if (wantsEmbedding) {
    const adapter = provider.embeddings;
    return adapter
      ? { adapter, request: clientRequest('openai', { model: requestedModel, input: ['hello world'] }) }
      : `该渠道类型不支持向量模型：${label}`;
  }
  const chat = { model: requestedModel, messages: [{ role: 'user', content: 'hi' }], stream: false };
  if (provider.chat)
    return { adapter: provider.chat, request: clientRequest('openai', { ...chat, ...tokenLimitOf(model) }) };
  return {
    adapter: provider.messages as TextAdapter,
    request: clientRequest('anthropic', { ...chat, max_tokens: MAX_TOKENS }),
  };
}

const clientRequest = (dialect: ClientRequest['dialect'], json: JsonObject): ClientRequest => ({
  dialect,
  json,
  bytes: Buffer.from(JSON.stringify(json)),
  headers: {},
  // Dify and Coze refuse a request without a user, whom this id stands for.
  requestId: uuidv7(),
});
