import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { scanObject } from '../json/json-scan.js';
import { requestMembers } from '../json/member-rules.js';
import { findProvider } from '../registry.js';

const SIGNED = {
  33: 'AKID|secret|us-east-1',
  41: '{"project_id":"p"}',
  15: 'id|secret',
  16: 'id.secret',
  23: '1|id|secret',
};

/** Spaces, an unknown member and a role that a conversion would refuse: none of it may change. */
const TEXT =
  '{ "model":"asked","messages":[{"role":"user","content":"hi"},{"role":"narrator","content":[]}] ,"own":[1,null]}';

function sent(
  channelType: number,
  text: string,
  { model = 'mapped', ...details }: Partial<ClientRequest> & { model?: string } = {},
): UpstreamRequest | undefined {
  const key = SIGNED[channelType as keyof typeof SIGNED] ?? 'sk-upstream';
  const target = channelTarget({ channelType, key, model, other: 'o', paramOverride: { temperature: 0 } });
  const request = clientRequest(JSON.parse(text) as JsonObject, { text, ...details });
  return findProvider(channelType)?.chat?.unchanged?.(request, target);
}
const withMembers = (members: JsonObject): string =>
  JSON.stringify({ model: 'asked', messages: [{ role: 'user', content: 'hi' }], ...members });
const bodyOf = (request: UpstreamRequest | undefined): JsonObject => JSON.parse(String(request?.body)) as JsonObject;

describe('a chat body that is passed on as it is', () => {
  it.each([
    [1, 'gpt-4o', 'https://api.openai.com/v1/chat/completions'],
    [14, 'claude-3-haiku-20240307', 'https://api.anthropic.com/v1/messages'],
    [14, 'claude-2.1', 'https://api.anthropic.com/v1/complete'],
    [15, 'ERNIE-Bot-8K', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie_bot_8k'],
    [16, 'chatglm_pro', 'https://open.bigmodel.cn/api/paas/v3/model-api/chatglm_pro/invoke'],
    [23, 'hunyuan-lite', 'https://hunyuan.tencentcloudapi.com/'],
    [24, 'gemini-2.0-flash', 'https://generativelanguage.googleapis.com/o/models/gemini-2.0-flash:generateContent'],
    [33, 'own.model', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/own.model/invoke'],
    [34, 'command-r', 'https://api.cohere.ai/v1/chat'],
  ])('goes to the address of a channel of type %i (%s) without a change', (type, model, url) => {
    expect(sent(type, TEXT, { model })).toMatchObject({ url, body: Buffer.from(TEXT) });
  });

  it('is asked for as a stream where it says so', () => {
    const text = withMembers({ stream: true });
    expect(sent(24, text)?.url).toContain(':streamGenerateContent?alt=sse');
    expect(sent(16, text)?.url).toContain('/sse-invoke');
    expect(sent(14, text, { model: 'claude-3-haiku-20240307' })?.headers.accept).toBe('text/event-stream');
    expect(sent(33, text, { model: 'own.model' })?.url).toContain('/invoke-with-response-stream');
    for (const type of [14, 16, 24, 33]) expect(String(sent(type, text)?.body)).toBe(text);
  });

  it('is converted where one body is not all that an upstream needs, and of other clients', () => {
    for (const type of [18, 37, 49]) expect(sent(type, TEXT)).toBeUndefined();
    const responses = findProvider(14)?.responses;
    expect(responses?.unchanged?.(clientRequest({ input: 'hi' }), channelTarget({ channelType: 14 }))).toBeUndefined();
  });

  it.each([
    [14, 'claude-3-haiku-20240307', { max_tokens: 50 }, { max_tokens: 20 }],
    [14, 'claude-3-haiku-20240307', { max_tokens: 10 }, { max_tokens: 10 }],
    [14, 'claude-3-haiku-20240307', { max_completion_tokens: 10 }, { max_completion_tokens: 10, max_tokens: 20 }],
    [14, 'claude-2.1', {}, { max_tokens_to_sample: 20 }],
    [15, 'ERNIE-Bot-8K', { max_output_tokens: 99 }, { max_output_tokens: 20 }],
    [34, 'command-r', { max_tokens: 99 }, { max_tokens: 20 }],
    [24, 'gemini-2.0-flash', {}, { generationConfig: { maxOutputTokens: 20 } }],
    [
      24,
      'gemini-2.0-flash',
      { generation_config: { topK: 1, max_output_tokens: 99 } },
      { generation_config: { topK: 1, max_output_tokens: 20 } },
    ],
  ])('keeps the limit that its quota needs, over type %i (%s)', (type, model, members, expected) => {
    const body = bodyOf(sent(type, withMembers(members), { model, outputLimit: 20 }));
    expect(body).toEqual({ ...(JSON.parse(withMembers(members)) as JsonObject), ...expected });
  });

  it.each([
    [33, { anthropic_beta: ['prompt-caching-2024-07-31', 'context-1m-2025-08-07'] }, 'anthropic_beta'],
    [34, { connectors: [{ id: 'web-search' }] }, 'connectors'],
    [34, { conversation_id: 'somebody' }, 'conversation_id'],
    [16, { ref: { enable: true } }, 'ref'],
    [24, { contents: { parts: [] } }, 'contents'],
  ])('is refused over type %i for what no hold bounds there: %j', (type, members, param) => {
    expect(() => sent(type, withMembers(members))).toThrow(RequestRejected);
    expect(() => sent(type, withMembers(members))).toThrow(param);
  });

  it('is refused for a name of Google that stands there in two spellings', () => {
    const text = withMembers({ generationConfig: {}, generation_config: { maxOutputTokens: 9 } });
    expect(() => sent(24, text)).toThrow('must stand once');
    expect(() => sent(33, withMembers({ anthropic_beta: ['prompt-caching-2024-07-31'] }))).not.toThrow();
  });

  it.each(['message', 'chat_history', 'preamble', 'connectors', 'conversation_id', 'ref', 'anthropic_beta'])(
    'has no second %s that some reader might take',
    (name) => {
      for (const other of [name, name.toUpperCase()])
        expect(() => scanObject(Buffer.from(`{"${name}":"a","${other}":"b"}`), requestMembers)).toThrow('member');
    },
  );

  it('is bounded as its upstream reads it', () => {
    const boundsOf = (type: number, json: JsonObject, model = 'mapped'): JsonObject | undefined =>
      findProvider(type)?.chat?.boundsUnchanged?.(json, model);
    const json = {
      max_tokens: 5,
      max_tokens_to_sample: 6,
      generationConfig: { maxOutputTokens: 7, candidateCount: 3 },
    };
    expect(boundsOf(1, json)).toBeUndefined();
    expect(boundsOf(14, json, 'claude-3-haiku-20240307')).toEqual({ max_tokens: 5 });
    expect(boundsOf(14, json, 'claude-2.1')).toEqual({ max_tokens: 6 });
    expect(boundsOf(24, json)).toMatchObject({ max_tokens: 7, n: 3 });
    expect(boundsOf(41, json, 'gemini-2.0-flash')).toMatchObject({ max_tokens: 7, n: 3 });
    expect(boundsOf(41, json, 'claude-3-haiku-20240307')).toEqual({ max_tokens: 5 });
  });
});

describe('a completion that is passed on as it is', () => {
  it('runs a model of Workers AI', () => {
    const text = '{"model":"asked","prompt":["a","b"], "own":1}';
    const target = channelTarget({ channelType: 39, other: 'acc', model: '@cf/x' });
    const request = clientRequest(JSON.parse(text) as JsonObject, { text });
    const completions = findProvider(39)?.completions;
    expect(completions?.unchanged?.(request, target)).toMatchObject({
      url: 'https://api.cloudflare.com/client/v4/accounts/acc/ai/run/@cf/x',
      body: Buffer.from(text),
    });
    const limited = completions?.unchanged?.({ ...request, outputLimit: 9 }, target);
    expect(bodyOf(limited)).toEqual({ model: 'asked', prompt: ['a', 'b'], own: 1, max_tokens: 9 });
  });
});
