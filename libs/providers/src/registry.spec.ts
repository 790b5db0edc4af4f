import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Capability, type ChannelTypeRow, channelTypes } from '@tollgate/contracts';
import { channelTarget, clientRequest } from '../test/factories.js';
import type { ChannelTarget, JsonObject, Provider } from './adapter.js';
import { findProvider, providers } from './registry.js';

const json = { model: 'm1.5', messages: [], input: 'x' };
const target = (type: number, details: Partial<ChannelTarget> = {}) =>
  channelTarget({ channelType: type, model: 'm1.5', other: 'other', ...details });
const chatUrl = (type: number, details: Partial<ChannelTarget> = {}) =>
  findProvider(type)?.chat?.toUpstream(clientRequest(json), target(type, details)).url;
const sent = (type: number, body: JsonObject, details: Partial<ChannelTarget> = {}) => {
  const request = findProvider(type)?.chat?.toUpstream(clientRequest(body), target(type, details));
  return { headers: request?.headers, body: JSON.parse(request?.body?.toString() ?? '{}') as JsonObject };
};

describe('the provider registry', () => {
  it('has a place for every channel type', () => {
    expect(Object.keys(providers)).toEqual(Object.keys(channelTypes));
    expect(findProvider(28)).toBeUndefined();
    expect(findProvider(Number.NaN)).toBeUndefined();
  });

  it('passes a chat body on unchanged to every upstream that needs a single request, and bodies of other dialects only within their dialect', () => {
    const passing = (name: 'chat' | 'messages' | 'gemini') =>
      Object.keys(providers)
        .map(Number)
        .filter((type) => findProvider(type)?.[name]?.unchanged !== undefined);
    const chatting = Object.keys(providers)
      .map(Number)
      .filter((type) => findProvider(type)?.chat);
    expect(chatting.filter((type) => !passing('chat').includes(type))).toEqual([18, 37, 49]);
    expect([...passing('messages'), ...passing('gemini')]).toEqual([]);
  });

  it('serves clients of all dialects wherever it serves text', () => {
    const built = Object.entries(providers).map(([type, provider]): [string, Provider] => [type, provider ?? {}]);
    for (const [type, { chat, messages, gemini, responses }] of built)
      expect([type, messages, gemini, responses].map((one) => one !== undefined)).toEqual([
        true,
        ...Array.from({ length: 3 }, () => chat !== undefined),
      ]);
  });

  it('serves what the contract says of each type', () => {
    // Capabilities that are listed in the contract. Every provider serves `responses`, by conversion if needed, so it is not compared.
    const named = ['chat', 'completions', 'embeddings', 'images', 'messages', 'realtime', 'rerank'] as const;
    const servedBy = (provider: Provider): Capability[] => [
      ...named.filter((name) => provider[name]),
      ...(provider.speech || provider.transcriptions ? (['audio'] as const) : []),
    ];
    const declared = Object.entries(channelTypes).map(([type, { capabilities }]: [string, ChannelTypeRow]) => [
      type,
      capabilities.filter((name) => name !== 'responses' && name !== 'tasks').sort(),
    ]);
    const built = Object.entries(providers).map(([type, provider]) => [type, servedBy(provider ?? {}).sort()]);
    expect(declared).toEqual(built);
  });

  it.each([
    [1, 'https://api.openai.com/v1/chat/completions'],
    [4, 'http://localhost:11434/v1/chat/completions'],
    [17, 'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions'],
    [20, 'https://openrouter.ai/api/v1/chat/completions'],
    [26, 'https://open.bigmodel.cn/api/paas/v4/chat/completions'],
    [27, 'https://api.perplexity.ai/chat/completions'],
    [35, 'https://api.minimax.chat/v1/text/chatcompletion_v2'],
    [39, 'https://api.cloudflare.com/client/v4/accounts/other/ai/v1/chat/completions'],
    [42, 'https://api.mistral.ai/v1/chat/completions'],
    [43, 'https://api.deepseek.com/v1/chat/completions'],
    [45, 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
    [46, 'https://qianfan.baidubce.com/v2/chat/completions'],
    [48, 'https://api.x.ai/v1/chat/completions'],
  ])('calls type %d at its own address', (type, url) => {
    expect(chatUrl(type)).toBe(url);
  });

  it('builds the special addresses', () => {
    const azure = { baseUrl: 'https://me.openai.azure.com/', other: '' };
    expect(chatUrl(3, azure)).toBe(
      'https://me.openai.azure.com/openai/deployments/m1.5/chat/completions?api-version=2025-04-01-preview',
    );
    expect(chatUrl(3, { ...azure, other: '2024-12-01-preview' })).toContain('api-version=2024-12-01-preview');
    expect(chatUrl(3, { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/b/azure-openai/r' })).toContain(
      '/azure-openai/r/m1.5/chat/completions?',
    );
    expect(chatUrl(1, { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/b/openai' })).toBe(
      'https://gateway.ai.cloudflare.com/v1/a/b/openai/chat/completions',
    );
    expect(chatUrl(8, { baseUrl: 'https://own.example/{model}/go' })).toBe('https://own.example/m1.5/go');
    expect(chatUrl(8, { baseUrl: 'https://own.example/run/{model}?x=1', model: '@cf/meta/m:1' })).toBe(
      'https://own.example/run/@cf/meta/m:1?x=1',
    );
    expect(() => chatUrl(8, { baseUrl: 'https://own.example/{model}', model: 'm/../keys' })).toThrow('model m/../keys');
    expect(chatUrl(45, { model: 'bot-7' })).toBe('https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions');
    expect(chatUrl(47, { baseUrl: 'http://gpu:9997/' })).toBe('http://gpu:9997/v1/chat/completions');
  });

  it("forwards a client's query if the path is forwarded", () => {
    const request = (path: string) => clientRequest(json, { pathAndQuery: `${path}?beta=true&key=own&x=%20` });
    const asked = (type: number, name: 'chat' | 'embeddings' | 'responses' | 'moderations', path: string) =>
      findProvider(type)?.[name]?.toUpstream(request(path), target(type, { baseUrl: 'http://up' })).url;
    expect(asked(1, 'chat', '/v1/chat/completions')).toBe('http://up/v1/chat/completions?beta=true&x=%20');
    expect(asked(43, 'embeddings', '/v1/embeddings')).toBe('http://up/v1/embeddings?beta=true&x=%20');
    expect(asked(1, 'responses', '/v1/responses')).toBe('http://up/v1/responses?beta=true&x=%20');
    expect(asked(1, 'moderations', '/v1/moderations')).toBe('http://up/v1/moderations?beta=true&x=%20');
    // The query is dropped for another path, and for types with their own addresses.
    expect(asked(1, 'chat', '/pg/chat/completions')).toBe('http://up/v1/chat/completions');
    expect(asked(27, 'chat', '/v1/chat/completions')).toBe('http://up/chat/completions');
    expect(asked(8, 'chat', '/v1/chat/completions')).toBe('http://up');
    expect(asked(3, 'chat', '/v1/chat/completions')).not.toContain('beta');
  });

  it('sends the headers a type asks for', () => {
    expect(sent(1, json, { organization: 'org-1' }).headers).toMatchObject({ 'openai-organization': 'org-1' });
    expect(sent(3, json).headers).toMatchObject({ 'api-key': 'sk-upstream' });
    expect(sent(3, json).headers).not.toHaveProperty('authorization');
    expect(sent(20, json).headers).toMatchObject({ 'http-referer': 'https://tollgate.example', 'x-title': 'Tollgate' });
    expect(sent(17, json).headers).toMatchObject({ 'x-dashscope-plugin': 'other' });
    expect(sent(17, json).headers).not.toHaveProperty('x-dashscope-sse');
    expect(sent(17, { ...json, stream: true }).headers).toMatchObject({ 'x-dashscope-sse': 'enable' });
  });

  it('signs a token for Zhipu from the two halves of the key', () => {
    const [header = '', payload = '', signature] = (
      sent(26, json, { key: 'id.secret' }).headers?.authorization ?? ''
    ).split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

    expect(read(header)).toEqual({ alg: 'HS256', sign_type: 'SIGN' });
    expect(read(payload)).toEqual({ api_key: 'id', exp: 1_700_086_400_000, timestamp: 1_700_000_000_000 });
    expect(signature).toBe(createHmac('sha256', 'secret').update(`${header}.${payload}`).digest('base64url'));
    expect(sent(26, json, { key: 'plain' }).headers?.authorization).toBe('Bearer plain');
  });

  it('changes members that an upstream would refuse', () => {
    const image = (url: unknown) =>
      [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }] as JsonObject[];

    expect(sent(17, { ...json, top_p: 1 }).body.top_p).toBe(0.999);
    expect(sent(26, { ...json, top_p: 1 }).body.top_p).toBe(0.99);
    expect(sent(1, { ...json, top_p: 1 }).body.top_p).toBe(1);
    expect(sent(26, { ...json, messages: image({ url: 'data:image/png;base64,AA==' }) }).body.messages).toEqual(
      image({ url: 'AA==' }),
    );
    expect(sent(42, { ...json, messages: image({ url: 'https://a/b' }), user: 'u', logprobs: true }).body).toEqual({
      model: 'm1.5',
      messages: image('https://a/b'),
      input: 'x',
    });
  });

  it('says to Mistral what it has under another name', () => {
    const body = (name: 'chat' | 'embeddings' | 'messages', request: JsonObject): JsonObject =>
      JSON.parse(
        findProvider(42)?.[name]?.toUpstream(clientRequest(request), target(42)).body?.toString() ?? '',
      ) as JsonObject;
    const messages = [{ role: 'user', content: 'hi' }];

    expect(body('chat', { model: 'm', messages, seed: 7 })).toEqual({ model: 'm1.5', messages, random_seed: 7 });
    expect(body('chat', { model: 'm', messages, seed: 7, random_seed: 8 })).toMatchObject({ random_seed: 8 });
    expect(body('embeddings', { model: 'm', input: 'x', dimensions: 256 })).toEqual({
      ...{ model: 'm1.5', input: 'x', output_dimension: 256 },
    });
  });

  const limits = ({ max_tokens, max_completion_tokens }: JsonObject) => ({ max_tokens, max_completion_tokens });

  it.each([4, 17, 19, 26, 27, 31, 39, 40, 42, 43])(
    'keeps the limit of an answer for an upstream that knows its older name only (%i)',
    (type) => {
      const asked = (members: JsonObject) => limits(sent(type, { ...json, ...members }).body);

      expect(asked({ max_completion_tokens: 10 })).toEqual({ max_tokens: 10 });
      expect(asked({ max_completion_tokens: 10, max_tokens: 20 })).toEqual({ max_tokens: 10 });
      expect(asked({ max_completion_tokens: 0, max_tokens: 20 })).toEqual({ max_tokens: 20 });
      expect(asked({ max_completion_tokens: null })).toEqual({});

      const { chat } = findProvider(type) ?? {};
      const raw = clientRequest({ ...json, max_completion_tokens: 10 }, { outputLimit: 50 });
      expect(chat?.boundsUnchanged?.(raw.json, 'm')).toEqual({ max_tokens: undefined });
      const { body } = chat?.unchanged?.(raw, target(type)) ?? {};
      expect(limits(JSON.parse(String(body)) as JsonObject)).toEqual({ max_completion_tokens: 10, max_tokens: 50 });
    },
  );

  it('says the limit of a completion by the only name that it has there', () => {
    const { completions } = findProvider(1) ?? {};
    const asked = clientRequest({ model: 'm', prompt: 'x', max_completion_tokens: 10 });
    expect(limits(JSON.parse(String(completions?.toUpstream(asked, target(1)).body)) as JsonObject)).toEqual({
      max_tokens: 10,
    });
    expect(completions?.boundsUnchanged?.(asked.json, 'm')).toEqual({ max_tokens: undefined });
  });

  it('puts the limit of a channel in the place of the client by the name that its upstream knows', () => {
    const paramOverride = { max_completion_tokens: 7 };
    const asked = clientRequest({ ...json, max_completion_tokens: 10 });
    const { body } = findProvider(43)?.chat?.toUpstream(asked, { ...target(43), paramOverride }) ?? {};
    expect(limits(JSON.parse(String(body)) as JsonObject)).toEqual({ max_tokens: 7 });
  });

  it("embeds at the type's own path and reads usage", () => {
    const embed = (type: number) =>
      findProvider(type)?.embeddings?.toUpstream(clientRequest({ model: 'm', input: 'x' }), target(type)).url;

    expect(embed(1)).toBe('https://api.openai.com/v1/embeddings');
    expect(embed(44)).toBe('https://api.moka.ai/embeddings');
    expect(embed(45)).toBe('https://ark.cn-beijing.volces.com/api/v3/embeddings');
    expect(findProvider(27)?.embeddings).toBeUndefined();
  });

  it.each([26, 27, 45, 46])('has no completions for type %d, whose upstream serves none', (type) => {
    expect(findProvider(type)?.completions).toBeUndefined();
    expect(findProvider(type)?.chat).toBeDefined();
  });

  it("lists an upstream's models", () => {
    const models = findProvider(1)?.models;

    expect(models?.toUpstream(target(1))).toMatchObject({ method: 'GET', url: 'https://api.openai.com/v1/models' });
    expect(models?.fromReply(Buffer.from('{"data":[{"id":"a"},{"id":"b"},{"id":"a"},{}]}'))).toEqual(['a', 'b']);
    expect(() => models?.fromReply(Buffer.from('{"error":{"message":"no key"}}'))).toThrow('no key');
    expect(() => models?.fromReply(Buffer.from('<html>'))).toThrow('unreadable');
  });
});
