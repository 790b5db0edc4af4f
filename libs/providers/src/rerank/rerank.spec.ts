import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { findProvider } from '../registry.js';

const asked = { model: 'alias', query: 'which?', documents: ['first', { text: 'second' }], top_n: 2 };

const upstreamOf = (channelType: number, details = {}) => {
  const adapter = findProvider(channelType)?.rerank;
  if (!adapter) throw new Error(`type ${channelType} ranks nothing`);
  const target = channelTarget({ channelType, model: 'ranker', ...details });
  const { url, body, headers } = adapter.toUpstream(clientRequest(asked), target);
  return { url, headers, json: JSON.parse(String(body)) as JsonObject };
};

const replyOf = (channelType: number, json: JsonObject, context: Partial<ReplyContext> = {}) => {
  const reply = findProvider(channelType)?.rerank?.fromReply(
    Buffer.from(JSON.stringify(json)),
    replyContext({ request: asked, ...context }),
  );
  if (!reply) throw new Error(`type ${channelType} ranks nothing`);
  return { ...reply, json: JSON.parse(reply.body.toString()) as JsonObject };
};

describe('a request to rank', () => {
  it.each([
    [1, {}, 'https://api.openai.com/v1/rerank'],
    [8, { baseUrl: 'https://own.example/rank/{model}' }, 'https://own.example/rank/ranker'],
    [38, {}, 'https://api.jina.ai/v1/rerank'],
    [40, {}, 'https://api.siliconflow.cn/v1/rerank'],
    [47, { baseUrl: 'http://x.example/' }, 'http://x.example/v1/rerank'],
  ])("goes to type %i as it is, under the channel's name of the model", (type, details, url) => {
    const upstream = upstreamOf(type, details);
    expect(upstream.url).toBe(url);
    expect(upstream.json).toEqual({ ...asked, model: 'ranker' });
    expect(upstream.headers.authorization).toBe('Bearer sk-upstream');
  });

  it('goes to Workers AI as contexts, with the model in the path', () => {
    const upstream = upstreamOf(39, { model: '@cf/baai/bge-reranker-base', other: 'account' });
    expect(upstream.url).toBe(
      'https://api.cloudflare.com/client/v4/accounts/account/ai/run/@cf/baai/bge-reranker-base',
    );
    expect(upstream.json).toEqual({ query: 'which?', contexts: [{ text: 'first' }, { text: 'second' }], top_k: 2 });
  });
});

describe('a ranking', () => {
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ];

  it.each<[string, JsonObject, number, number]>([
    ['a total of Jina', { usage: { total_tokens: 815 } }, 815, 0],
    ['a total beside a smaller prompt', { usage: { total_tokens: 15, prompt_tokens: 10 } }, 15, 0],
    ['the tokens of SiliconFlow', { meta: { tokens: { input_tokens: 30, output_tokens: 2 } } }, 30, 2],
    ['those beside the results', { tokens: { input_tokens: 30, output_tokens: 0 } }, 30, 0],
    ['the units of Cohere', { meta: { billed_units: { input_tokens: 7 } } }, 7, 0],
  ])('tells %s', (_, stated, inputTokens, outputTokens) => {
    const { usage, json } = replyOf(38, { results, ...stated });
    expect(usage).toMatchObject({ inputTokens, outputTokens });
    expect(json.results).toEqual(results);
    expect(json.usage).toEqual({
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    });
  });

  it('is told what is booked where the upstream states no tokens', () => {
    const reply = replyOf(40, { results, meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: null } } });
    expect(reply.usage).toBeUndefined();
    const counted = { semantics: 'openai', inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    expect(JSON.parse(String(reply.withUsage?.(counted as never)))).toMatchObject({
      results,
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
  });

  it('has the documents that were asked for, whatever the upstream returns', () => {
    const own = [
      { index: 1, relevance_score: 0.9, document: null },
      { index: 0, relevance_score: 0.1, document: 'theirs' },
    ];
    expect(replyOf(47, { results: own }, { request: { ...asked, return_documents: true } }).json.results).toEqual([
      { index: 1, relevance_score: 0.9, document: { text: 'second' } },
      { index: 0, relevance_score: 0.1, document: { text: 'theirs' } },
    ]);
    expect(replyOf(47, { results: own.slice(0, 1) }).json.results).toEqual([{ index: 1, relevance_score: 0.9 }]);
  });

  it('of Workers AI is one like any other', () => {
    const response = [{ id: 1, score: 0.9 }];
    const { json } = replyOf(39, { result: { response }, success: true }, { model: 'ranker' });
    expect(json).toEqual({ model: 'ranker', results: [{ index: 1, relevance_score: 0.9 }] });
    expect(replyOf(39, { success: false, errors: [{ code: 5007, message: 'No such model' }] }).fault).toBeDefined();
  });

  it.each([{ data: [] }, { results: 'x' }, { error: { message: 'no' } }])('is none in %j', (json) => {
    expect(replyOf(38, json as JsonObject).fault).toBeDefined();
  });
});
