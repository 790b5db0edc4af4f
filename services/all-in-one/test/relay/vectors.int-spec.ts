import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type Person,
  readUntil,
  type TestBed,
  startFakeUpstream,
  startTestBed,
  startTaskUpstream,
  TASK_KEY,
  type TaskUpstream,
  wavFile,
} from '@tollgate/testing';
import { type LogRow, logRows, quotaOf, rowOf } from '../support/relay-site.js';

const CLAUDE = 'claude-3-7-sonnet-20250219';
/** Of the gpt-4o family, whose searches with low context cost 30 dollars per thousand. */
const SEARCHER = 'gpt-4o-2024-11-20';
const PROMPT = [{ role: 'user', content: 'hi' }];

const chatReply = (usage: object): object => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', usage },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
});
const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };

/** The usage that the fake upstream reports by model: the numbers of the test vectors. */
const replies: Readonly<Record<string, object>> = {
  'gpt-4o-mini': chatReply({
    ...{ prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    prompt_tokens_details: { cached_tokens: 200 },
  }),
  [CLAUDE]: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: CLAUDE, stop_reason: 'max_tokens' },
    content: [{ type: 'text', text: 'Hello' }],
    usage: { input_tokens: 10, cache_read_input_tokens: 1000, cache_creation_input_tokens: 500, output_tokens: 20 },
  },
  'whisper-1': { text: 'silence' },
  'glm-4-flash': chatReply({ prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 }),
  'gpt-4o-audio-preview': chatReply({
    ...{ prompt_tokens: 300, completion_tokens: 80, total_tokens: 380 },
    prompt_tokens_details: { text_tokens: 100, audio_tokens: 200 },
    completion_tokens_details: { text_tokens: 50, audio_tokens: 30 },
  }),
  [SEARCHER]: {
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: SEARCHER },
    output: [
      { id: 'ws_1', ...search },
      { id: 'ws_2', ...search },
      { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    ],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  },
};

/** An image file that consists of its head only. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(40);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

/** Silent audio. */
const wav = (seconds: number): Buffer => wavFile(Buffer.alloc(Math.round(seconds * 8000), 0x80));

/**
 * The reference's test vectors for prices, run through the whole product: the log row, and the charge on the wallet.
 */
describe('the vectors of the prices', () => {
  let stated: Server;
  let upstream: FakeUpstream;
  let tasks: TaskUpstream;
  let testBed: TestBed;
  let payer: Person;
  let key: string;
  /**
   * The key of another user, for calls whose booking is not awaited, so that the payer's wallet changes only by
   * measured calls.
   */
  let aside: string;

  beforeAll(async () => {
    stated = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
      request.on('end', () => {
        const isForm = request.headers['content-type']?.startsWith('multipart/') === true;
        const { model } = (isForm ? { model: 'whisper-1' } : JSON.parse(body)) as { model: string };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replies[model]));
      });
    });
    await new Promise<void>((listening) => stated.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(stated.address() as AddressInfo).port}`;
    [upstream, tasks] = await Promise.all([startFakeUpstream(), startTaskUpstream()]);
    testBed = await startTestBed(allServices);
    await testBed.channel({ models: `gpt-4o-mini,gpt-4o-audio-preview,whisper-1,${SEARCHER}`, base_url: address });
    await testBed.channel({ type: 14, models: CLAUDE, base_url: address });
    await testBed.channel({ type: 26, key: 'id.secret', models: 'glm-4-flash', base_url: address });
    const plain = { base_url: upstream.url, group: 'default,vip' };
    await testBed.channel({ ...plain, models: 'dall-e-3,gpt-4,gpt-4o,ERNIE-4.0-8K' });
    await testBed.channel({ type: 2, key: TASK_KEY, base_url: tasks.url, models: 'mj_imagine' });
    await option('SelfUseModeEnabled', 'true');
    await option('GroupRatio', '{"default":1,"vip":2,"svip":1}');
    await option('RetryTimes', '3');
    payer = await testBed.user('payer', 100_000_000);
    key = await testBed.token(payer);
    aside = await testBed.token(await testBed.user('another', 100_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await Promise.all([upstream?.close(), tasks?.close()]);
    stated?.close();
    stated?.closeAllConnections();
  });

  const option = (name: string, value: string) => testBed.root.data('PUT', '/api/option/', { key: name, value });
  const post = async (path: string, body: object, own = key) => {
    const reply = await fetch(`${testBed.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const id = reply.headers.get('x-oneapi-request-id') ?? '';
    return { status: reply.status, id, json: (await reply.json()) as Record<string, unknown> };
  };
  const chat = (model: string, fields: object = {}, own = key) =>
    post('/v1/chat/completions', { model, messages: PROMPT, ...fields }, own);
  /** Returns the log row of a call, after checking that exactly its quota was taken from the wallet. */
  const paid = async (call: () => Promise<{ id: string; status: number }>): Promise<LogRow> => {
    const before = await quotaOf(testBed, payer.id);
    const { id, status } = await call();
    expect(status).toBe(200);
    const row = await rowOf(testBed, id);
    const taken = async (): Promise<number> => before - (await quotaOf(testBed, payer.id));
    expect(await readUntil(taken, (units) => units === row.quota)).toBe(row.quota);
    return row;
  };

  const audio = [{ type: 'input_audio', input_audio: { data: 'A'.repeat(8000), format: 'mp3' } }];
  const hd = { model: 'dall-e-3', prompt: 'a gate', size: '1024x1792', quality: 'hd', n: 1 };
  it.each<[string, () => Promise<{ id: string; status: number }>, number]>([
    ['1: a cached part of the prompt', () => chat('gpt-4o-mini'), 218],
    [
      '2: reads and writes of a cache',
      () => post('/v1/messages', { model: CLAUDE, max_tokens: 50, messages: PROMPT }),
      1253,
    ],
    ['3: a tall picture in high quality', () => post('/v1/images/generations', hd), 60_000],
    ['4: a model that is free', () => chat('glm-4-flash'), 0],
    [
      '8: sound, heard and said',
      () => chat('gpt-4o-audio-preview', { messages: [{ role: 'user', content: audio }] }),
      5575,
    ],
    ['11: a drawing', () => post('/mj/submit/imagine', { prompt: 'a gate' }), 50_000],
  ])('%s', async (_, call, units) => {
    expect((await paid(call)).quota).toBe(units);
  });

  it('4: a free call counts as a request', async () => {
    const count = () =>
      payer.data<{ request_count: number }>('GET', '/api/user/self').then((self) => self.request_count);
    const before = await count();
    await paid(() => chat('glm-4-flash'));
    expect(await readUntil(count, (now) => now === before + 1)).toBe(before + 1);
  });

  it('a call without any tokens is free and counts as no request', async () => {
    const count = () =>
      payer.data<{ request_count: number }>('GET', '/api/user/self').then((self) => self.request_count);
    const before = await count();
    const messages = [{ role: 'user', content: 'hi [[usage=zero]]' }];
    const row = await paid(() => chat('gpt-4o', { messages }));
    expect(row).toMatchObject({ type: 2, quota: 0, content: expect.stringContaining('（可能是上游超时）') });
    // Booked after the call above, so that both are counted by then.
    await paid(() => chat('gpt-4o-mini'));
    expect(await readUntil(count, (now) => now > before)).toBe(before + 1);
  });

  it.each([
    {
      name: '5: of a limit that the client sets',
      ...{ model: 'gpt-4', group: 'default', fields: { max_tokens: 1000 } },
      holdOf: (bytes: number) => (bytes * 1.25 + 1000 * 2) * 15,
    },
    {
      name: '6: of PreConsumedQuota without one, at the price of the prompt',
      ...{ model: 'gpt-4o', group: 'vip', fields: {} },
      holdOf: (bytes: number) => (bytes * 1.25 + 500) * 1.25 * 2,
    },
  ])('the hold $name is the exact minimum balance for a call', async ({ name, model, group, fields, holdOf }) => {
    // Every byte of the prompt is held as a token that is written to a cache, the most expensive possibility.
    const hold = Math.round(holdOf(Buffer.byteLength(JSON.stringify({ model, messages: PROMPT, ...fields }))));
    for (const [units, expected] of [
      [hold - 1, [403, 'insufficient_user_quota']],
      [hold, [200, undefined]],
    ] as const) {
      const person = await testBed.user(`saver${name.slice(0, 1)}${expected[0]}`, units);
      const { status, json } = await chat(model, fields, await testBed.token(person, { group }));
      const { code, message } = (json['error'] ?? {}) as { code?: string; message?: string };
      expect([status, code]).toEqual(expected);
      if (status === 403) expect(message).toContain(`need quota: ＄${(hold / 500_000).toFixed(6)}`);
    }
  });

  it('7: an image counts as 1105 tokens when the upstream states no usage', async () => {
    const text = { type: 'text', text: 'see [[usage=absent]]' };
    const picture = { type: 'image_url', image_url: { url: png(2048, 1024), detail: 'high' } };
    const ask = (...content: object[]) => paid(() => chat('gpt-4o', { messages: [{ role: 'user', content }] }));
    const [seen, read] = [await ask(text, picture), await ask(text)];
    expect(seen.prompt_tokens - read.prompt_tokens).toBe(1105);
    expect(seen.quota).toBe(Math.round((seen.prompt_tokens + seen.completion_tokens * 4) * 1.25));
    expect(seen.other.usage_source).toBe('estimated');
  });

  it('9: two searches cost 30 000 beside the tokens', async () => {
    const tools = [{ type: 'web_search_preview', search_context_size: 'low' }];
    const row = await paid(() => post('/v1/responses', { model: SEARCHER, input: 'hi', tools }));
    expect(row.quota).toBe((100 + 10 * 4) * 1.25 + 30_000);
  });

  it('10: a minute and a bit of speech', async () => {
    const row = await paid(async () => {
      const form = new FormData();
      form.set('model', 'whisper-1');
      form.set('file', new Blob([wav(61.2)]), 'speech.wav');
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${testBed.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
      await reply.text();
      return { id: reply.headers.get('x-oneapi-request-id') ?? '', status: reply.status };
    });
    expect([row.prompt_tokens, row.quota]).toEqual([1033, 15_495]);
  });

  it('12: weights 0 and 30 share the calls 10 to 40', async () => {
    const [light, heavy] = await Promise.all(
      [0, 30].map((weight) => testBed.channel({ models: 'weighed', base_url: upstream.url, weight })),
    );
    const calls = 200;
    for (let turn = 0; turn < calls / 20; turn += 1)
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const messages = [{ role: 'user', content: `call ${turn * 20 + index}` }];
          expect((await chat('weighed', { messages }, aside)).status).toBe(200);
        }),
      );
    const rows = async (): Promise<LogRow[]> =>
      (await logRows(testBed, 2)).filter(({ model_name: name }) => name === 'weighed');
    const of = await readUntil(rows, ({ length }) => length === calls);
    const counts = [light, heavy].map((id) => of.filter(({ channel }) => channel === id).length);
    expect(counts[0]! + counts[1]!).toBe(calls);
    // A fifth of 200 is 40; one run in a million deviates by more than this.
    expect(counts[0]).toBeGreaterThan(12);
    expect(counts[0]).toBeLessThan(68);
    // Two hundred calls while other suites are running.
  }, 120_000);

  it('13: priorities 10, 5 and 0 are tried in their order, each channel once', async () => {
    const ids: number[] = [];
    for (const priority of [0, 10, 5])
      ids.push(await testBed.channel({ models: 'tiers', base_url: `${upstream.url}/~status=500`, priority }));
    const { status, id } = await chat('tiers', {}, aside);
    expect(status).toBe(500);
    const [low, high, middle] = ids.map(String);
    expect((await rowOf(testBed, id)).other.admin_info.use_channel).toEqual([high, middle, low]);
  });

  it('14: statuses that cause a retry on another channel, and others', async () => {
    const statuses = [401, 404, 429, 500, 503, 400, 408, 504, 524];
    for (const status of statuses) {
      await testBed.channel({ models: `s${status}`, base_url: `${upstream.url}/~status=${status}`, priority: 9 });
      await testBed.channel({ models: `s${status}`, base_url: upstream.url });
    }
    const told = await Promise.all(statuses.map(async (status) => (await chat(`s${status}`, {}, aside)).status));
    expect(told).toEqual([200, 200, 200, 200, 200, 400, 408, 504, 524]);
    for (const status of ['', '/~status=400'])
      await testBed.channel({ type: 14, models: 'c400', base_url: upstream.url + status, priority: status.length });
    expect((await chat('c400', {}, aside)).status).toBe(200);
  });

  it('15: a model name is mapped along its chain, priced under the requested name, and refused when circular', async () => {
    const map = (models: string, mapping: object) =>
      testBed.channel({ models, base_url: upstream.url, model_mapping: JSON.stringify(mapping) });
    await map('gpt-4-turbo', { 'gpt-4-turbo': 'b', b: 'c' });
    await map('circle', { circle: 'b', b: 'circle' });
    await map('itself', { itself: 'itself' });
    const row = await paid(() => chat('gpt-4-turbo'));
    expect(upstream.journal().at(-1)?.body.model).toBe('c');
    expect(row.other).toMatchObject({ is_model_mapped: true, upstream_model_name: 'c' });
    expect(row.quota).toBe((row.prompt_tokens + row.completion_tokens * 3) * 5);
    expect((await chat('circle', {}, aside)).json).toMatchObject({
      error: { message: expect.stringContaining('cycle') },
    });
    expect((await paid(() => chat('itself'))).other).not.toHaveProperty('is_model_mapped');
  });

  it('16: a mapped status is sent to the client, and does not decide about retries', async () => {
    await testBed.channel({
      ...{ models: 'veiled', priority: 9, base_url: `${upstream.url}/~status=400` },
      status_code_mapping: '{"400":"500"}',
    });
    await testBed.channel({ models: 'veiled', base_url: upstream.url });
    expect((await chat('veiled', {}, aside)).status).toBe(500);
  });

  it('17: the ratio of a model with a price in yuan', async () => {
    const { body } = await payer.call<{ model_name: string; model_ratio: number }[]>('GET', '/api/pricing');
    const ratio = body.data.find(({ model_name: name }) => name === 'ERNIE-4.0-8K')?.model_ratio;
    expect(ratio).toBeCloseTo((0.12 * 500) / 7.3, 5);
  });

  it('18: a reply of Claude that its token limit ended has the finish reason length', async () => {
    const { json } = await chat(CLAUDE, {}, aside);
    expect(json).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  });
});
