import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  BAIDU_BAD_KEY,
  BEDROCK_KEY,
  type FakeUpstream,
  type JournalEntry,
  readUntil,
  revokeBaiduTokens,
  revokeVertexTokens,
  type TestBed,
  startFakeUpstream,
  startTestBed,
  TENCENT_KEY,
  vertexKey,
  XUNFEI_KEY,
  ZHIPU_KEY,
} from '@tollgate/testing';
import OpenAI from 'openai';
import { ask, read, rowOf } from '../support/relay-site.js';

const REPLY = 'w1 w2 w3';
const prompt = (directives = 'tokens=3'): { role: 'user'; content: string }[] => [
  { role: 'user', content: `one two [[${directives}]]` },
];

const matching = (type: string | RegExp): unknown => expect.stringMatching(type);

describe('providers with their own authentication and dialect', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    key = await testBed.token(await testBed.user('caller', 500_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  afterEach(() => upstream.reset());

  const calls = (): JournalEntry[] => upstream.journal();
  const whole = (model: string, directives?: string) =>
    openai.chat.completions.create({ model, messages: prompt(directives) }).withResponse();
  /** What an OpenAI client gets from a stream. */
  async function streamed(model: string, directives?: string) {
    const stream = await openai.chat.completions.create({
      ...{ model, messages: prompt(directives), stream: true, stream_options: { include_usage: true } },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    return { text, usage };
  }
  const tested = async (id: number, model: string) =>
    (await testBed.root.call('GET', `/api/channel/test/${id}?model=${encodeURIComponent(model)}`)).body;
  const saved = async (fields: Record<string, unknown>) =>
    (await testBed.root.call('POST', '/api/channel/', { name: 'x', group: 'default', models: 'm', ...fields })).body;

  describe('Vertex (41)', () => {
    const GEMINI = 'gemini-2.0-flash';
    const CLAUDE = 'claude-3-5-sonnet-20241022';
    const LLAMA = 'meta/llama3-405b-instruct-maas';
    const regions = JSON.stringify({ default: 'us-central1', [CLAUDE]: 'europe-west1' });
    let channel: number;

    beforeAll(async () => {
      const models = [GEMINI, CLAUDE, LLAMA].join(',');
      const fields = { name: 'vertex', type: 41, base_url: upstream.url, other: regions, models };
      channel = await testBed.channel({ ...fields, key: vertexKey(upstream.url) });
      await testBed.channel({
        ...{ ...fields, name: 'stranger', models: 'gemini-1.5-pro-latest' },
        key: vertexKey(upstream.url, { client_email: 'somebody@else.example' }),
      });
      await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: JSON.stringify({ [LLAMA]: 0.01 }) });
    });

    it('exchanges a signed assertion for one token over simultaneous requests', async () => {
      revokeVertexTokens();
      const answers = await Promise.all([whole(GEMINI), whole(CLAUDE), whole(LLAMA), whole(GEMINI)]);
      for (const { data } of answers) {
        expect(data.choices[0]?.message.content).toBe(REPLY);
        expect(data.usage).toMatchObject({ completion_tokens: 3 });
      }
      const paths = calls().map(({ path }) => path);
      const at = (region: string, rest: string) => `/v1/projects/fake-project/locations/${region}/publishers/${rest}`;
      expect(paths).toContain(at('us-central1', `google/models/${GEMINI}:generateContent`));
      expect(paths).toContain(at('europe-west1', 'anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict'));
      expect(paths).toContain(
        '/v1beta1/projects/fake-project/locations/us-central1/endpoints/openapi/chat/completions',
      );
      const row = await rowOf(testBed, answers[0].response.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({ channel, completion_tokens: 3, other: { usage_source: 'upstream' } });
    });

    it.each([GEMINI, CLAUDE, LLAMA])('streams %s', async (model) => {
      expect(await streamed(model)).toMatchObject({ text: REPLY, usage: { completion_tokens: 3 } });
    });

    it('forwards the bytes of Claude to the client of Anthropic, with and without streaming', async () => {
      const request = { model: CLAUDE, max_tokens: 50, messages: prompt() };
      for (const message of [
        await anthropic.messages.create(request),
        await anthropic.messages.stream(request).finalMessage(),
      ])
        expect(message.content[0]).toMatchObject({ type: 'text', text: REPLY });
      const [first] = calls();
      expect(first?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 50 });
      expect(first?.body).not.toHaveProperty('model');
      expect(first?.headers).not.toHaveProperty('x-api-key');
    });

    it('does not stand in the way of another channel with a model that it does not know, in any dialect', async () => {
      const model = 'mistral-large-2411';
      const fields = { base_url: upstream.url, models: model };
      await testBed.root.data('PUT', '/api/option/', {
        key: 'ModelPrice',
        value: JSON.stringify({ [LLAMA]: 0.01, [model]: 0.01 }),
      });
      const unable = {
        ...fields,
        name: 'unable',
        type: 41,
        other: regions,
        priority: -5,
        key: vertexKey(upstream.url),
      };
      const id = await testBed.channel(unable);
      const rejected = await whole(model).catch((error: unknown) => error);
      expect(rejected).toMatchObject({ status: 400, message: expect.stringContaining('unsupported request mode') });
      await testBed.channel({ ...fields, name: 'able', type: 1, priority: 100 });
      const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
      const bodies: Record<string, object> = {
        '/v1/chat/completions': { model, messages: prompt() },
        '/v1/messages': { model, messages: prompt(), max_tokens: 9 },
        '/v1/responses': { model, input: 'hi' },
        [`/v1beta/models/${model}:generateContent`]: { contents },
      };
      for (const [path, body] of Object.entries(bodies)) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const reply = await fetch(testBed.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
        expect([path, reply.status]).toEqual([path, 200]);
      }
      await testBed.root.data('DELETE', `/api/channel/${id}`);
    });

    it('fetches a new token when the current one is refused', async () => {
      await whole(GEMINI);
      revokeVertexTokens();
      await expect(whole(GEMINI)).rejects.toMatchObject({ status: 401 });
      expect((await whole(GEMINI)).data.choices[0]?.message.content).toBe(REPLY);
    });

    it('reports that the token was refused, without naming the account', async () => {
      const answer = await read(
        await ask(testBed.url, { dialect: 'openai', key, prompt: 'hi', body: { model: 'gemini-1.5-pro-latest' } }),
        'openai',
      );
      expect([answer.status, answer.error?.code]).toEqual([401, 'channel:token_refused']);
      expect(JSON.stringify(answer.error)).not.toContain('else.example');
    });

    it('can be tested, and refuses an invalid key or region', async () => {
      expect(await tested(channel, GEMINI)).toMatchObject({ success: true });
      const form = { type: 41, other: 'us-central1', key: vertexKey('http://a.b') };
      expect(await saved({ ...form, key: 'sk-1' })).toMatchObject({ code: 'channel-key-not-json' });
      expect(await saved({ ...form, key: '{"type":"service_account"}' })).toMatchObject({
        code: 'channel-key-incomplete',
        message: '服务账号密钥缺少字段或字段不合法：project_id',
      });
      expect(await saved({ ...form, other: '' })).toMatchObject({ message: '部署地区不能为空' });
      expect(await saved({ ...form, other: '{"a":"b"}' })).toMatchObject({ message: '部署地区必须包含default字段' });
      expect(await saved({ ...form, other: 'evil.example/x' })).toMatchObject({ code: 'channel-region-unknown' });
    });
  });

  const rows = [
    {
      ...{ label: 'Baidu (15)', type: 15, model: 'ERNIE-4.0-8K', good: 'id|secret', bad: BAIDU_BAD_KEY },
      ...{ path: /\/wenxinworkshop\/chat\/completions_pro\?access_token=24\./, errorType: 'baidu_error' },
    },
    {
      ...{ label: 'Zhipu v3 (16)', type: 16, model: 'chatglm_turbo', good: ZHIPU_KEY, bad: 'fake-id.wrong' },
      ...{ path: /\/api\/paas\/v3\/model-api\/chatglm_turbo\/(sse-)?invoke$/, errorType: 'zhipu_error' },
    },
    {
      ...{ label: 'Tencent (23)', type: 23, model: 'hunyuan-pro', good: TENCENT_KEY, bad: 'a|AKIDfake|wrong' },
      ...{ path: /^\/$/, errorType: 'tencent_error' },
    },
    {
      ...{ label: 'Bedrock (33)', type: 33, model: 'claude-3-haiku-20240307' },
      ...{ good: `${BEDROCK_KEY.id}|${BEDROCK_KEY.secret}|us-east-1`, bad: `${BEDROCK_KEY.id}|wrong|us-east-1` },
      ...{ path: /\/model\/us\.anthropic\.claude-3-haiku-20240307-v1%3A0\/invoke/, errorType: /_error$/ },
    },
    {
      ...{
        label: 'Xunfei (18)',
        type: 18,
        model: 'SparkDesk-v3.5',
        good: XUNFEI_KEY,
        bad: 'fakeapp1|wrong|fake-api-key',
      },
      ...{ path: /^\/v3\.5\/chat\?host=/, errorType: 'xunfei_error' },
    },
  ] as const;

  describe.each(rows)('$label', ({ type, model, good, bad, path, errorType }) => {
    let channel: number;

    beforeAll(async () => {
      const fields = { type, base_url: upstream.url };
      channel = await testBed.channel({ ...fields, name: `good ${type}`, key: good, models: model });
      await testBed.channel({ ...fields, name: `bad ${type}`, key: bad, models: `bad-${model}` });
      const { value } = { value: JSON.stringify({ [model]: 0.01, [`bad-${model}`]: 0.01 }) };
      await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value });
    });

    it('replies without streaming, and books the reported usage', async () => {
      const { data, response } = await whole(model);
      expect(data.choices[0]).toMatchObject({ message: { content: REPLY }, finish_reason: 'stop' });
      expect(data.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
      expect(calls()[0]?.path).toMatch(path);
      const row = await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({
        channel,
        prompt_tokens: 2,
        completion_tokens: 3,
        other: { usage_source: 'upstream' },
      });
    });

    it.each(['tokens=3', 'tokens=3,crlf'])('streams with %s, to clients of both dialects', async (directives) => {
      expect(await streamed(model, directives)).toMatchObject({ text: REPLY, usage: { completion_tokens: 3 } });
      const request = { model, max_tokens: 50, messages: prompt(directives), system: 'Be kind' };
      const message = await anthropic.messages.stream(request).finalMessage();
      expect(message.content[0]).toMatchObject({ type: 'text', text: REPLY });
    });

    it('ends a broken or failed stream with an error', async () => {
      await expect(streamed(model, 'cut=2')).rejects.toThrow();
      await expect(streamed(model, 'error=2')).rejects.toMatchObject({ type: matching(errorType) });
      // The text of this type is not JSON, so it cannot be malformed.
      if (type !== 16) expect((await streamed(model, 'tokens=3,malformed=1')).text).toBe(REPLY);
    });

    it('reports errors with status 200, overload and a wrong key', async () => {
      // AWS reports overload by the status code.
      const busy = type === 33 ? 'status=429' : 'error200,code=429';
      await expect(whole(model, busy)).rejects.toMatchObject({ status: 429 });
      await expect(whole(model, 'status=400,code=400')).rejects.toMatchObject({
        status: 400,
        type: matching(errorType),
      });
      await expect(whole(`bad-${model}`)).rejects.toMatchObject({ status: [18, 33].includes(type) ? 403 : 401 });
    });

    it('can be tested', async () => {
      expect(await tested(channel, model)).toMatchObject({ success: true });
    });
  });

  it('closes the web socket when the client disconnects, and bills what it received', async () => {
    const leaving = new AbortController();
    const reply = await ask(testBed.url, {
      ...{ dialect: 'openai', key, prompt: 'hi [[tokens=1000,tps=100]]', isStream: true, signal: leaving.signal },
      body: { model: 'SparkDesk-v3.5', max_tokens: 1000 },
    });
    await reply.body?.getReader().read();
    leaving.abort();
    const row = await rowOf(testBed, reply.headers.get('x-oneapi-request-id') ?? '');
    expect(row.other.outcome).toBe('client_abort');
    let said = -1;
    const hasStopped = async (): Promise<boolean> => {
      const before = said;
      said = calls().at(-1)?.wordsSent ?? 0;
      return said === before;
    };
    expect(await readUntil(hasStopped, Boolean)).toBe(true);
    expect(said).toBeLessThan(1000);
  });

  it('fetches a new token of Baidu after a refusal, and returns one vector per text', async () => {
    const models = 'Embedding-V1';
    await testBed.channel({ name: 'vectors', type: 15, base_url: upstream.url, key: 'id|secret', models });
    revokeBaiduTokens();
    const embed = () => openai.embeddings.create({ model: models, input: ['a b', 'c'], encoding_format: 'float' });
    await expect(embed()).rejects.toMatchObject({ status: 401, type: 'baidu_error' });
    const { data, usage } = await embed();
    expect([data.length, usage.prompt_tokens]).toEqual([2, 3]);
  });

  it.each([
    [11, 'PaLM-2', {}],
    [21, 'library', { other: '123456' }],
  ])('keeps a channel of the retired type %d, and reports that it cannot be called', async (type, model, more) => {
    const id = await testBed.channel({ name: `retired ${type}`, type, models: model, ...more });
    expect(await testBed.root.data('GET', `/api/channel/${id}`)).toMatchObject({ type, other: '', ...more });
    await expect(whole(model)).rejects.toMatchObject({ status: 400, code: 'invalid_api_type' });
    expect(await tested(id, model)).toMatchObject({ success: false });
  });
});
