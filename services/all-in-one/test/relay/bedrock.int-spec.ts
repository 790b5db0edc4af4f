import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  BEDROCK_KEY,
  type BedrockUpstream,
  type FakeUpstream,
  type TestBed,
  startBedrockUpstream,
  startFakeUpstream,
  startTestBed,
} from '@tollgate/testing';
import OpenAI from 'openai';
import { ask, read, rowOf } from '../support/relay-site.js';

const MODEL = 'claude-3-haiku-20240307';
const REPLY = 'Hello dear Ünïverse.';
const PROMPT = [{ role: 'user' as const, content: 'Greet the universe' }];
const keyOf = (secret: string = BEDROCK_KEY.secret): string => `${BEDROCK_KEY.id}|${secret}|${BEDROCK_KEY.region}`;

describe('a channel of Bedrock', () => {
  let bedrock: BedrockUpstream;
  let other: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let anthropic: Anthropic;
  let openai: OpenAI;
  let channel: number;

  beforeAll(async () => {
    bedrock = await startBedrockUpstream();
    other = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    const make = (fields: Record<string, unknown>): Promise<number> =>
      testBed.channel({ type: 33, key: keyOf(), base_url: bedrock.url, priority: 10, ...fields });
    channel = await make({ name: 'bedrock', models: MODEL });
    await make({ name: 'busy bedrock', models: 'claude-3-opus-20240229' });
    await testBed.channel({ name: 'behind', type: 14, base_url: other.url, models: 'claude-3-opus-20240229' });
    await make({ name: 'wrong secret', models: 'claude-3-sonnet-20240229', key: keyOf('wrong') });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    key = await testBed.token(await testBed.user('caller', 100_000_000));
    anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await bedrock?.close();
    await other?.close();
  });
  beforeEach(() => {
    bedrock.behave({});
    bedrock.calls.length = 0;
  });

  const call = async (model: string, isStream = false) =>
    read(await ask(testBed.url, { dialect: 'anthropic', key, prompt: 'hi', isStream, body: { model } }), 'anthropic');

  it('replies to the client of Anthropic without streaming, with a valid signature', async () => {
    const { data, response } = await anthropic.messages
      .create({ model: MODEL, max_tokens: 50, messages: PROMPT })
      .withResponse();
    expect(data.content).toEqual([{ type: 'text', text: REPLY }]);
    expect(bedrock.calls).toEqual([
      {
        path: '/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/invoke',
        accept: 'application/json',
        body: { max_tokens: 50, messages: PROMPT, anthropic_version: 'bedrock-2023-05-31' },
      },
    ]);
    const row = await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '');
    expect(row).toMatchObject({ type: 2, channel, model_name: MODEL, prompt_tokens: 21, completion_tokens: 4 });
    expect(row.other.usage_source).toBe('upstream');
  });

  it.each([undefined, 1, 7, 100])('streams to the client of Anthropic, %p bytes per write', async (writeBytes) => {
    bedrock.behave(writeBytes === undefined ? {} : { writeBytes });
    const stream = anthropic.messages.stream({ model: MODEL, max_tokens: 50, messages: PROMPT });
    const message = await stream.finalMessage();
    expect(message.content).toEqual([expect.objectContaining({ type: 'text', text: REPLY })]);
    expect(message.usage).toMatchObject({ input_tokens: 21, output_tokens: 4 });
    expect(bedrock.calls[0]).toMatchObject({
      path: expect.stringMatching(/\/invoke-with-response-stream$/),
      accept: 'application/vnd.amazon.eventstream',
    });
    expect(bedrock.calls[0]?.body).not.toHaveProperty('stream');
  });

  it("streams to OpenAI's client", async () => {
    const texts: string[] = [];
    const stream = await openai.chat.completions.create({
      ...{ model: MODEL, messages: PROMPT, stream: true, stream_options: { include_usage: true } },
    });
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      texts.push(chunk.choices[0]?.delta.content ?? '');
      usage = chunk.usage ?? usage;
    }
    expect(texts.join('')).toBe(REPLY);
    expect(usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 4 });
  });

  it('that is throttled passes the request to the next channel', async () => {
    bedrock.behave({ error: { type: 'ThrottlingException', status: 429 } });
    const answer = await call('claude-3-opus-20240229');
    expect([answer.status, answer.end]).toEqual([200, 'done']);
    expect((await rowOf(testBed, answer.requestId)).other.admin_info.use_channel).toHaveLength(2);
    const refused = await call(MODEL);
    expect([refused.status, refused.error?.type]).toEqual([429, 'rate_limit_error']);
  });

  it('that is throttled after the response head ends the stream with an error in the dialect', async () => {
    bedrock.behave({ error: { type: 'throttlingException', status: 0, at: 0 }, words: ['never'] });
    const answer = await call(MODEL, true);
    expect([answer.end, answer.error?.type]).toEqual(['error', 'rate_limit_error']);
    expect((await rowOf(testBed, answer.requestId)).other.outcome).toBe('upstream_cut');
  });

  it.each([
    ['an exception', { error: { type: 'throttlingException', status: 0, at: 2 } }, 'rate_limit_error'],
    ['a torn message', { cutAt: 2 }, 'upstream_error'],
  ])(
    'that ends a stream by %s reports an error to the client and books what it received',
    async (_, behaviour, type) => {
      bedrock.behave(behaviour);
      const answer = await call(MODEL, true);
      expect([answer.status, answer.end, answer.text, answer.error?.type]).toEqual([200, 'error', 'Hello dear', type]);
      const row = await rowOf(testBed, answer.requestId);
      expect(row).toMatchObject({ prompt_tokens: 21, other: { outcome: 'upstream_cut' } });
      expect(row.quota).toBeGreaterThan(0);
    },
  );

  it('with a wrong secret is refused by AWS, which counts against the key', async () => {
    const answer = await call('claude-3-sonnet-20240229');
    expect([answer.status, answer.error?.type]).toEqual([403, 'authentication_error']);
    expect(JSON.stringify(answer.error)).not.toContain('wrong');
    expect(await rowOf(testBed, answer.requestId)).toMatchObject({ type: 5, quota: 0 });
    expect(bedrock.calls).toEqual([]);
  });

  it('can be tested, and requires a key of three parts', async () => {
    const tested = await testBed.root.call('GET', `/api/channel/test/${channel}?model=${MODEL}`);
    expect(tested.body).toMatchObject({ success: true });
    const form = { name: 'bad', type: 33, models: MODEL, group: 'default' };
    const refused = await testBed.root.call('POST', '/api/channel/', { ...form, key: 'id|secret' });
    expect(refused.body).toMatchObject({ success: false, code: 'channel-key-malformed' });
    expect(refused.body.message).toBe('密钥格式应为 Ak|Sk|Region');
  });
});
