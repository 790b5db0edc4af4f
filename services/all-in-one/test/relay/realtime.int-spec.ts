import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { readUntil } from '@tollgate/testing';
import { withoutRequestId } from '../support/caller-world.js';
import type { RealtimeClient } from '../support/realtime-client.js';
import { logRows, quotaOf, rowOf } from '../support/relay-site.js';
import { MODEL, RealtimeWorld } from './realtime-world.js';

/** (15 text + 15 cached × 0.5 + 20 audio input × 8 + 7 text output × 4 + 40 audio output × 8 × 2) × 2.5 = 2126.25 */
const ANSWER = 2126;

describe('realtime sessions', () => {
  const world = new RealtimeWorld();
  beforeAll(() => world.start(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.reset());
  afterEach(() => world.endSessions());

  const open: RealtimeWorld['open'] = (options) => world.open(options);

  it('serve the client of OpenAI, charged per reply and logged once per session', async () => {
    const before = await quotaOf(world.testBed, world.person.id);
    const openai = new OpenAI({ baseURL: `${world.testBed.url}/v1`, apiKey: world.key });
    // The client insists on TLS, which in production a proxy would terminate.
    const plainly = (() => connect(Number(new URL(world.testBed.url).port), '127.0.0.1')) as never;
    const session = new OpenAIRealtimeWS({ model: MODEL, options: { createConnection: plainly } }, openai);
    let requestId = '';
    session.socket.on('upgrade', ({ headers }) => (requestId = String(headers['x-oneapi-request-id'])));
    const spoken: string[] = [];
    const done: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      session.on('error', reject);
      session.on('session.created', () => session.send({ type: 'response.create' }));
      session.on('event', (event) => {
        const { type, delta } = event as { type: string; delta?: string };
        if (type === 'response.audio_transcript.delta') spoken.push(delta ?? '');
      });
      session.on('response.done', ({ response }) => {
        done.push(response.usage);
        if (done.length === 1) session.send({ type: 'response.create' });
        else resolve();
      });
    });
    session.close();
    expect(spoken.join('')).toBe('word0 word1 word2 word0 word1 word2 ');
    const row = await rowOf(world.testBed, requestId);
    expect(row).toMatchObject({
      type: 2,
      channel: world.channel,
      model_name: MODEL,
      is_stream: true,
      prompt_tokens: 100,
      completion_tokens: 94,
    });
    // The sum of both replies, rounded once: 1701 × 2.5.
    expect([row.quota, row.other.outcome, row.other.usage_source]).toEqual([4253, 'completed', 'upstream']);
    expect(row.other).toMatchObject({
      ws: true,
      audio_input: 40,
      audio_output: 80,
      text_input: 30,
      text_output: 14,
      audio_ratio: 8,
    });
    expect(
      await readUntil(
        () => quotaOf(world.testBed, world.person.id),
        (quota) => quota !== before,
      ),
    ).toBe(before - 4253);
  });

  it('charge sound at a price of its own, whatever the name of the model', async () => {
    const client = open({ model: 'gpt-4o' });
    await client.ask();
    client.socket.close();
    const row = await rowOf(world.testBed, client.requestId);
    // (15 text + 15 cached × 0.5 + 20 audio input × 20 + 7 text output × 4 + 40 audio output × 20 × 2) × 1.25
    expect(row.quota).toBe(2563);
    expect(row.other).toMatchObject({ ws: true, audio_ratio: 20, audio_completion_ratio: 2 });
    const proof = await readUntil(
      () =>
        world.testBed.root.data<{ steps: { link: string; state: string }[] }>(
          'GET',
          `/api/proof/request/${client.requestId}`,
        ),
      ({ steps }) => steps.some(({ link }) => link === 'rating'),
    );
    expect(proof.steps.find(({ link }) => link === 'rating')?.state).toBe('done');
  });

  it('accept the key as a subprotocol, confirm `realtime`, and send the channel key in the same way', async () => {
    const client = open({ protocols: ['realtime', `openai-insecure-api-key.${world.key}`, 'openai-beta.realtime-v1'] });
    await client.heard('session.created');
    expect(client.socket.protocol).toBe('realtime');
    const [call] = world.upstream.calls;
    expect(call?.url).toBe(`/v1/realtime?model=${MODEL}`);
    expect(call?.headers['sec-websocket-protocol']?.split(/, ?/)).toEqual([
      'realtime',
      'openai-insecure-api-key.sk-upstream',
      'openai-beta.realtime-v1',
    ]);
    expect(JSON.stringify(call?.headers)).not.toContain(world.key);
    const plain = open();
    await plain.heard('session.created');
    expect(world.upstream.calls[1]?.headers).toMatchObject({
      authorization: 'Bearer sk-upstream',
      'openai-beta': 'realtime=v1',
    });
  });

  it('open at the path with a trailing slash, too', async () => {
    const client = open({ path: '/v1/realtime/' });
    await client.ask();
    client.socket.close();
    expect(client.count('response.done')).toBe(1);
  });

  it('forward frames unchanged in both directions', async () => {
    const client = open();
    await client.heard('session.created');
    const odd = '{"type":"session.update",  "session":{"instructions":"é\\u00e9"} }';
    client.send(odd);
    client.send('no JSON at all');
    await client.heard('error');
    const large = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(3 * 1024 * 1024) });
    for (let turn = 0; turn < 4; turn += 1) client.send(large);
    client.send({ type: 'input_audio_buffer.commit' });
    await client.heard('input_audio_buffer.committed');
    const frames = world.upstream.calls[0]?.frames.map(String) ?? [];
    expect([frames[0], frames[1], frames.length]).toEqual([odd, 'no JSON at all', 7]);
    expect(frames.slice(2, 6).every((frame) => frame === large)).toBe(true);
    world.upstream.say(Buffer.from([1, 2, 3]));
    world.upstream.say('neither is this');
    await client.until(() => client.frames.at(-1)?.toString() === 'neither is this');
    expect(client.frames.at(-2)).toEqual(Buffer.from([1, 2, 3]));
  });

  it('remove the channel key from an error of the upstream, and change nothing else', async () => {
    const client = open();
    await client.heard('session.created');
    const error = { message: 'key sk-upstream of sk-another-0123456789 is bad', type: 'x', code: null };
    world.upstream.say(JSON.stringify({ type: 'error', event_id: 'event_1', error }));
    world.upstream.say(Buffer.from(JSON.stringify({ type: 'error', error: { message: 'no sk-upstream' } })));
    await client.until(() => client.frames.at(-1)?.includes('"no ') === true);
    expect(client.frames.slice(-2).map(String)).toEqual([
      '{"type":"error","event_id":"event_1","error":{"message":"key *** of *** is bad","type":"x","code":null}}',
      '{"type":"error","error":{"message":"no ***"}}',
    ]);
  });

  it('charge a reply in binary messages, and accept unknown events', async () => {
    const client = open();
    await client.heard('session.created');
    client.socket.send(Buffer.from(JSON.stringify({ type: 'something.new', data: [1, { deep: true }] })));
    const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
    const response = { id: 'resp_binary', object: 'realtime.response', status: 'completed', output: [], usage };
    world.upstream.say(Buffer.from(JSON.stringify({ type: 'response.created', response: { id: 'resp_binary' } })));
    world.upstream.say(Buffer.from(JSON.stringify({ type: 'response.done', response })));
    // The upstream reports the unknown event before or after the reply.
    await client.until(() => client.frames.some((frame) => frame.includes('response.done')));
    expect(world.upstream.calls[0]?.frames.map(String)[0]).toContain('something.new');
    client.socket.close();
    const row = await rowOf(world.testBed, client.requestId);
    expect([row.prompt_tokens, row.completion_tokens]).toEqual([20, 10]);
    expect(row.quota).toBeGreaterThan(0);
  });

  it('end only the session that receives a message that is too large', async () => {
    const [large, other] = [open(), open()];
    for (const client of [large, other]) await client.heard('session.created');
    large.send('x'.repeat(17 * 1024 * 1024));
    expect((await large.end()).code).toBe(1009);
    expect((await rowOf(world.testBed, large.requestId)).quota).toBe(0);
    await other.ask();
    other.socket.close();
  });

  it('are refused in HTTP before the handshake, with checks in the documented order', async () => {
    const limited = await world.testBed.token(world.person, { model_limits_enabled: true, model_limits: 'gpt-4o' });
    const errorOf = async (client: RealtimeClient) => {
      const { status, body } = await client.refused();
      const { error } = JSON.parse(body) as { error: { message: string; code: string; type: string } };
      return [status, withoutRequestId(error.message), error.type];
    };
    const own = 'new_api_error';
    expect(await errorOf(open({ key: '' }))).toEqual([401, '未提供令牌', own]);
    expect(await errorOf(open({ key: 'sk-wrong' }))).toEqual([401, '无效的令牌', own]);
    expect(await errorOf(open({ key: `${world.key}-1` }))).toEqual([403, '普通用户不支持指定渠道', own]);
    expect((await open({ model: '' }).refused()).status).toBe(400);
    expect(await errorOf(open({ key: limited }))).toEqual([403, `该令牌无权访问模型 ${MODEL}`, own]);
    expect(await errorOf(open({ model: 'unknown' }))).toEqual([
      503,
      '当前分组 default 下对于模型 unknown 无可用渠道',
      own,
    ]);
    expect((await open({ model: 'claude-2.1' }).refused()).body).toContain('invalid_api_type');
    const plain = await fetch(`${world.testBed.url}/v1/realtime?model=${MODEL}`, {
      headers: { authorization: `Bearer ${world.key}` },
    });
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(world.upstream.calls).toHaveLength(0);
  });

  it('report a failure after the handshake in an error event, and log it', async () => {
    const poor = await world.testBed.token(await world.testBed.user('poor', 10));
    const client = open({ key: poor });
    const { error } = await client.heard('error');
    expect(error).toMatchObject({ type: 'new_api_error', code: 'insufficient_user_quota' });
    expect(error?.message).toContain(`(request id: ${client.requestId})`);
    expect((await client.end()).code).toBe(1008);
    const unpriced = open({ model: 'gpt-4o' });
    world.upstream.refuseNext(401);
    const refused = await unpriced.heard('error');
    expect(refused.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_api_key' });
    expect(refused.error?.message).not.toMatch(/sk-|platform/);
    await unpriced.end();
    const row = await rowOf(world.testBed, unpriced.requestId);
    expect([row.type, row.quota, row.other.error_code]).toEqual([5, 0, 'invalid_api_key']);
  });

  it('count for the rate limit of successful requests once an upstream has accepted them', async () => {
    const mine = await world.testBed.token(await world.testBed.user('hurried', 100_000_000));
    const set = (name: string, value: string) => world.testBed.root.data('PUT', '/api/option/', { key: name, value });
    await set('ModelRequestRateLimitSuccessCount', '1');
    await set('ModelRequestRateLimitEnabled', 'true');
    try {
      for (let turn = 0; turn < 2; turn += 1) {
        world.upstream.refuseNext(401);
        const refused = open({ key: mine, model: 'gpt-4o' });
        expect((await refused.heard('error')).error?.code).toBe('invalid_api_key');
        await refused.end();
      }
      await open({ key: mine, model: 'gpt-4o' }).heard('session.created');
      const { status, body } = await open({ key: mine, model: 'gpt-4o' }).refused();
      expect([status, body]).toEqual([429, expect.stringContaining('您已达到请求数限制：1分钟内最多请求1次')]);
    } finally {
      await set('ModelRequestRateLimitEnabled', 'false');
      await set('ModelRequestRateLimitSuccessCount', '1000');
    }
  });

  it('move to the next channel until one accepts the session', async () => {
    world.upstream.refuseNext(500);
    const client = open();
    await client.ask();
    client.socket.close();
    const row = await rowOf(world.testBed, client.requestId);
    expect([row.quota, row.other.admin_info.use_channel]).toEqual([
      ANSWER,
      [String(world.channel), String(row.channel)],
    ]);
    expect(world.second.calls).toHaveLength(1);
  });

  it('call Azure by deployment, with its own header and the API version of the client', async () => {
    const client = open({ model: 'gpt-4o-mini-realtime-preview', query: '&api-version=2025-01-01' });
    await client.ask();
    const [call] = world.upstream.calls;
    expect(call?.url).toBe('/openai/realtime?deployment=gpt-4o-mini-realtime-preview&api-version=2025-01-01');
    expect([call?.headers['api-key'], call?.headers.authorization]).toEqual(['k', undefined]);
  });

  it('close one side with the code of the other, and charge the part of an unfinished reply', async () => {
    const client = open();
    await client.ask();
    client.socket.close(4001, 'enough');
    await client.end();
    expect(
      await readUntil(
        () => Promise.resolve(world.upstream.calls[0]?.closed),
        (code) => code !== undefined,
      ),
    ).toBe(1000);
    expect((await rowOf(world.testBed, client.requestId)).other.outcome).toBe('completed');

    world.upstream.behave({ closeAfter: 1, closeCode: 4321, closeReason: 'see https://inner.example.com' });
    const closed = open();
    await closed.heard('session.created');
    closed.send({ type: 'response.create' });
    expect(await closed.end()).toEqual({ code: 4321, reason: 'see https://***' });
    const row = await rowOf(world.testBed, closed.requestId);
    expect([row.other.outcome, row.other.usage_source]).toEqual(['upstream_cut', 'estimated']);
    // One word, and 40 ms of audio at 200 / 0.24 tokens per minute.
    expect([row.completion_tokens > 0, row.quota > 0]).toEqual([true, true]);

    world.upstream.behave({ cutAfter: 1 });
    const cut = open();
    await cut.heard('session.created');
    cut.send({ type: 'response.create' });
    expect((await cut.end()).code).toBe(1011);
    expect(cut.events.at(-1)?.error?.code).toBe('upstream_cut');
  });

  it('are charged by own counts when the usage is missing or implausible', async () => {
    world.upstream.behave({ usage: undefined, soundMs: 6000, words: 3 });
    const client = open();
    await client.heard('session.created');
    client.send({ type: 'session.update', session: { instructions: 'Answer in one word.' } });
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000 * 6).toString('base64') });
    await client.ask();
    client.socket.close();
    const row = await rowOf(world.testBed, client.requestId);
    // Six seconds each: input 6/60 × 100/0.06 = 167, output 6/60 × 200/0.24 = 83.
    expect(row.other).toMatchObject({ usage_source: 'estimated', audio_input: 167, audio_output: 83, text_input: 5 });

    world.upstream.behave({ usage: { input_tokens: 9_000_000, output_tokens: 9_000_000, total_tokens: 18_000_000 } });
    const liar = open();
    await liar.ask();
    liar.socket.close();
    const doubted = await rowOf(world.testBed, liar.requestId);
    expect([doubted.other.usage_doubt, doubted.prompt_tokens < 100]).toEqual(['implausible', true]);
  });

  it('end with an error event when the quota is used up, without overdrawing', async () => {
    // The first hold is 500 × 8 × 2 × 2.5 = 20 000; a reply of 40 seconds of audio costs more.
    const owner = await world.testBed.user('thrifty', 24_000);
    const thrifty = await world.testBed.token(owner);
    world.upstream.behave({ words: 200, soundMs: 60_000, paceMs: 2 });
    const client = open({ key: thrifty });
    await client.heard('session.created');
    client.send({ type: 'response.create' });
    const { error } = await client.heard('error');
    expect(error).toMatchObject({ type: 'new_api_error', code: 'insufficient_user_quota' });
    const told = /^user quota is not enough, user quota: ＄(\S+), need quota: ＄(\S+)/.exec(error?.message ?? '') ?? [];
    expect(Number(told[1])).toBeLessThan(Number(told[2]));
    expect((await client.end()).code).toBe(1008);
    const row = await rowOf(world.testBed, client.requestId);
    expect([row.other.outcome, row.quota > 20_000, row.quota <= 24_500]).toEqual(['quota_exhausted', true, true]);
    await readUntil(
      () => quotaOf(world.testBed, owner.id),
      (quota) => quota < 5_000,
    );
    const again = open({ key: thrifty });
    expect((await again.heard('error')).error?.code).toBe('insufficient_user_quota');
  });

  it('end when the key is deleted or the user is banned', async () => {
    const left = await world.testBed.user('leaving', 100_000_000);
    const deleted = open({ key: await world.testBed.token(left) });
    await deleted.ask();
    const rows = await left.data<{ id: number }[]>('GET', '/api/token/?p=0&size=10');
    await left.data('DELETE', `/api/token/${rows[0]?.id}`);
    expect((await deleted.heard('error')).error).toMatchObject({ code: 'invalid_token' });
    expect((await deleted.end()).code).toBe(1008);
    expect((await rowOf(world.testBed, deleted.requestId)).quota).toBe(ANSWER);

    const banned = open({ key: await world.testBed.token(left) });
    await banned.ask();
    await world.testBed.root.data('POST', '/api/user/manage', { id: left.id, action: 'disable' });
    expect((await banned.heard('error')).error).toMatchObject({ code: 'user_banned' });
    expect((await banned.end()).code).toBe(1008);
  });

  it('are limited per user, and return their hold at the end', async () => {
    const mine = [open(), open(), open()];
    for (const client of mine) await client.heard('session.created');
    const { status, body } = await open().refused();
    expect([status, body]).toEqual([429, expect.stringContaining('realtime_full')]);
    for (const client of mine) client.socket.close();
    for (const client of mine) await client.end();
    await readUntil(
      async () =>
        (await logRows(world.testBed)).filter(({ other }) => mine.some((one) => one.requestId === other.request_id))
          .length,
      (count) => count === 3,
    );
    await open().heard('session.created');
  });
});
