import { describe, expect, it } from '@jest/globals';
import { findProvider, type ChannelTarget } from '@tollgate/providers';
import { isEmbeddingModel, refusalOf, testModelOf, testRequestFor, tokenLimitOf } from './test-request.js';

const target: ChannelTarget = {
  channelType: 1,
  baseUrl: '',
  key: 'k',
  model: 'gpt-4o-mini',
  requestedModel: 'gpt-4o-mini',
  organization: '',
  other: '',
  setting: {},
  paramOverride: {},
  settings: {
    claude: {
      defaultMaxTokens: { default: 8192 },
      modelHeaders: {},
      thinkingAdapterEnabled: true,
      thinkingBudgetPercentage: 0.8,
    },
    gemini: {
      safetySettings: {},
      versionSettings: {},
      imageModels: [],
      thinkingAdapterEnabled: false,
      thinkingBudgetPercentage: 0.6,
    },
    forceStreamUsage: false,
    azureApiVersion: '',
    product: { name: '', url: '' },
  },
  nowMs: 0,
};

describe('the request of a channel test', () => {
  it.each([
    { asks: 'the named model', named: 'named', testModel: 'own', models: ['first'], expected: 'named' },
    { asks: "the channel's own", named: '', testModel: 'own', models: ['first'], expected: 'own' },
    { asks: 'its first model', named: '', testModel: '', models: ['first', 'second'], expected: 'first' },
    { asks: 'a common one', named: '', testModel: '', models: [], expected: 'gpt-4o-mini' },
  ])('sends $asks', ({ named, testModel, models, expected }) => {
    expect(testModelOf({ testModel, models }, named)).toBe(expected);
  });

  it.each([
    ['gpt-4o-mini', { max_tokens: 10 }],
    ['gemini-2.0-flash', { max_tokens: 300 }],
    ['gemini-2.0-flash-thinking-exp', { max_tokens: 300 }],
    ['qwen-thinking', { max_tokens: 50 }],
    ['claude-3-7-sonnet-20250219-thinking', {}],
    ['o1', { max_completion_tokens: 10 }],
    ['o3-mini-high', { max_completion_tokens: 10 }],
    ['o1x', { max_tokens: 10 }],
  ])('limits %s to %p', (model, limit) => {
    expect(tokenLimitOf(model)).toEqual(limit);
  });

  it.each([
    ['text-embedding-3-small', 1, true],
    ['Embedding-V1', 15, true],
    ['BGE-M3', 1, true],
    ['M3E-Large', 1, true],
    ['nomic-embed', 4, true],
    ['bge-m3', 40, true],
    ['m3e-base', 1, true],
    ['anything', 44, true],
    ['gpt-4o', 1, false],
  ])('judges %s of type %i as an embedding: %p', (model, type, expected) => {
    expect(isEmbeddingModel(model, type)).toBe(expected);
  });

  it.each([
    [2, 'midjourney channel test is not supported'],
    [5, 'midjourney plus channel test is not supported!!!'],
    [36, 'suno channel test is not supported'],
    [1, undefined],
  ])('refuses to test a channel of type %i, with %p', (type, expected) => {
    expect(refusalOf(type)).toBe(expected);
  });

  it('sends a chat request with the upstream model name', () => {
    const built = testRequestFor(findProvider(1), { ...target, requestedModel: 'alias' });
    if (typeof built === 'string') throw new Error(built);
    const { url, body } = built.adapter.toUpstream(built.request, { ...target, requestedModel: 'alias' });
    expect(url).toBe('https://api.openai.com/v1/chat/completions');
    expect(JSON.parse(String(body))).toEqual({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
      max_tokens: 10,
    });
  });

  it('sends an embeddings request when the model name or the upstream model name is one of embeddings', () => {
    const mapped = { ...target, requestedModel: 'alias', model: 'text-embedding-3-small' };
    const built = testRequestFor(findProvider(1), mapped);
    if (typeof built === 'string') throw new Error(built);
    expect(built.adapter.toUpstream(built.request, mapped).url).toBe('https://api.openai.com/v1/embeddings');
  });

  it('sends a rerank request when the provider supports it and one of the two model names is one of reranking', () => {
    const built = testRequestFor(findProvider(38), { ...target, channelType: 38, model: 'jina-reranker-v2' });
    if (typeof built === 'string') throw new Error(built);
    expect(built.adapter.toUpstream(built.request, target).url).toBe('https://api.jina.ai/v1/rerank');
  });

  it('gives the reason when no request can be made', () => {
    expect(testRequestFor(undefined, { ...target, channelType: 11 })).toBe('暂不支持该渠道类型：Google PaLM2');
    expect(
      testRequestFor(findProvider(14), { ...target, channelType: 14, requestedModel: 'text-embedding-3-small' }),
    ).toBe('该渠道类型不支持向量模型：Anthropic Claude');
  });
});
