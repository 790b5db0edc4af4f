import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { Clock } from '@tollgate/chassis';
import { BAD_KEY, type FakeUpstream, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { type Answer, ask, type ClientDialect, read, rowOf } from '../support/relay-site.js';

const BUSY = '当前分组上游负载已饱和，请稍后再试';

describe('a retry on another channel', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let key: string;
  let adminKey: string;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    const at = (fault: string): string => `${upstream.url}/~${fault}`;
    const make = async (name: string, fields: Record<string, unknown>): Promise<void> => {
      ids[name] = await testBed.channel({ name, base_url: upstream.url, ...fields });
    };
    await make('broken high', { models: 'tiers', base_url: at('status=500'), priority: 10 });
    await make('broken high too', { models: 'tiers', base_url: at('status=503'), priority: 10 });
    await make('good low', { models: 'tiers', priority: 1 });
    await make('never reached', { models: 'tiers', priority: 0 });
    await make('cut', { models: 'cut', base_url: at('cut=3'), priority: 10 });
    await make('behind cut', { models: 'cut', priority: 0 });
    await make('boundless', { models: 'boundless', base_url: at('huge=70000000'), priority: 10 });
    await make('behind boundless', { models: 'boundless', priority: 0 });
    await make('only boundless', { models: 'only-boundless', base_url: at('huge=70000000') });
    await make('bad request', { models: 'bad-request', base_url: at('status=400'), priority: 10 });
    await make('behind bad request', { models: 'bad-request', priority: 0 });
    await make('claude bad request', {
      type: 14,
      models: 'claude-bad-request',
      base_url: at('status=400'),
      priority: 10,
    });
    await make('behind claude', { type: 14, models: 'claude-bad-request', priority: 0 });
    await make('failing under 200', { models: 'under-200', base_url: at('error200,code=503'), priority: 10 });
    const overloaded = { type: 14, base_url: at('error200,code=overloaded,type=overloaded_error') };
    await make('overloaded under 200', { ...overloaded, models: 'under-200', priority: 5 });
    await make('behind these', { models: 'under-200', priority: 0 });
    await make('overloaded', { ...overloaded, models: 'overloaded' });
    await make('busy', { models: 'busy', base_url: at('status=429,code=rate_limit_exceeded') });
    await make('busy claude', { type: 14, models: 'claude-busy', base_url: at('status=429,code=rate_limit_exceeded') });
    await make('mapped status', {
      models: 'mapped-status',
      base_url: at('status=400'),
      status_code_mapping: '{"400":"418"}',
    });
    await make('bad key', { models: 'bad-key', key: BAD_KEY });
    await make('several keys', { models: 'several', key: `${BAD_KEY}\nsk-good-upstream`, multi_key_mode: 'polling' });
    await make('unreachable', { models: 'unreachable', base_url: 'http://127.0.0.1:9' });
    await make('mapping', { models: 'alias', model_mapping: '{"alias":"middle","middle":"target"}' });
    await make('cycle', { models: 'cycle', model_mapping: '{"cycle":"b","b":"cycle"}' });
    await make('override', { models: 'override', param_override: '{"temperature":0.25,"seed":7}' });
    await make('wordless', { type: 34, models: 'wordless,speechless', priority: 9 });
    await make('behind wordless', { models: 'wordless', base_url: at('status=500'), priority: 5 });
    await make('behind both', { models: 'wordless', priority: 0 });
    await make('fetching', { type: 4, models: 'seen', priority: 9 });
    await make('behind fetching', { models: 'seen', priority: 0 });
    const elsewhere = at('status=400,code=previous_response_not_found');
    for (const nth of [1, 2, 3, 4])
      await make(`elsewhere ${nth}`, { models: 'goes-on', base_url: elsewhere, priority: 5 });
    await make('has made it', { models: 'goes-on', priority: 0 });
    await make('made by nobody here', {
      models: 'lost',
      base_url: elsewhere,
      key: 'sk-a\nsk-b',
      multi_key_mode: 'polling',
    });
    await make('custom GPTs', { models: 'gpt-4o-gizmo-*' });
    await make('disabled', { models: 'alias' });
    await testBed.root.data('PUT', '/api/channel/', { id: ids.disabled, status: 2 });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '2' });
    key = await testBed.token(await testBed.user('caller', 100_000_000));
    adminKey = await testBed.token(testBed.root);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  it('is not made while another key of the channel works', async () => {
    const answers: Answer[] = [];
    for (let turn = 0; turn < 4; turn += 1) answers.push(await call({ model: 'several' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows = await Promise.all(answers.map(({ requestId }) => rowOf(testBed, requestId)));
    const id = String(ids['several keys']);
    // The refused key is tried only once, by the first request that chose it.
    const tried = rows.map(({ other }) => other.admin_info.use_channel.join());
    expect(tried.toSorted()).toEqual([id, id, id, `${id},${id}`]);
  });

  it('follows when the dialect of a channel cannot express the request, which is refused only if no channel can', async () => {
    const choices = { tool_choice: 'required', tools: [{ type: 'function', function: { name: 'f' } }] };
    const answer = await call({ model: 'wordless', body: choices });
    expect(answer.status).toBe(200);
    expect(await usedBy(answer)).toEqual(named('behind wordless', 'behind both'));
    const refused = await call({ model: 'speechless', body: choices });
    expect([refused.status, refused.error?.code]).toEqual([400, 'invalid_text_request']);
    expect(refused.error?.message).toContain('tool_choice can only be auto or none in cohere');
    expect(await usedBy(refused)).toEqual(named('wordless'));
    expect(upstream.served()).toBe(2);
  });

  it('is made beyond the limit on retries to find the channel with the previous response', async () => {
    const goOn = async (model: string, members: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model, input: 'go on', ...members });
      const reply = await fetch(`${testBed.url}/v1/responses`, { method: 'POST', headers, body });
      const { error } = (await reply.json()) as { error?: { code?: string } | null };
      const row = await rowOf(testBed, reply.headers.get('x-oneapi-request-id') ?? '');
      return { status: reply.status, code: error?.code, used: row.other.admin_info.use_channel };
    };
    const goesOn = { previous_response_id: 'resp_1' };
    const found = await goOn('goes-on', goesOn);
    expect([found.status, found.used.length, found.used.at(-1)]).toEqual([200, 5, String(ids['has made it'])]);
    const lost = await goOn('lost', goesOn);
    expect([lost.status, lost.code]).toEqual([400, 'previous_response_not_found']);
    expect(lost.used).toEqual(named('made by nobody here', 'made by nobody here'));
    const begun = await goOn('goes-on', {});
    expect([begun.status, begun.used.length]).toEqual([400, 1]);
  });

  it('is not made when an image cannot be fetched, because every channel would fetch it again', async () => {
    const picture = { type: 'image_url', image_url: { url: 'http://127.0.0.1:1/none.png' } };
    const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'what is it' }, picture] }] };
    const refused = await call({ model: 'seen', body });
    expect([refused.status, refused.error?.message]).toEqual([400, expect.stringContaining('could not be fetched')]);
    expect(await usedBy(refused)).toEqual(named('fetching'));
    expect(upstream.served()).toBe(0);
  });

  interface Wish {
    model: string;
    body?: Record<string, unknown>;
    dialect?: ClientDialect;
    isStream?: boolean;
    withKey?: string;
  }

  async function call({ model, body, dialect = 'openai', isStream = false, withKey = key }: Wish): Promise<Answer> {
    return read(
      await ask(testBed.url, { dialect, key: withKey, isStream, prompt: 'a few words', body: { model, ...body } }),
      dialect,
    );
  }

  const usedBy = async ({ requestId }: Answer): Promise<string[]> =>
    (await rowOf(testBed, requestId)).other.admin_info.use_channel;
  const isNamed = async ({ requestId }: Answer): Promise<true | undefined> =>
    (await rowOf(testBed, requestId)).other.admin_info.named_channel;
  const named = (...names: string[]): string[] => names.map((name) => String(ids[name]));

  it('uses each channel once, and all channels of a priority before the next', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const answer = await call({ model: 'tiers' });
      expect([answer.status, answer.end]).toEqual([200, 'done']);
      const used = await usedBy(answer);
      expect([...used].sort()).toEqual(named('broken high', 'broken high too', 'good low').sort());
      expect(used[2]).toBe(String(ids['good low']));
    }
  });

  it('is not made after the first byte: the client gets an error event', async () => {
    const answer = await call({ model: 'cut', isStream: true });
    expect([answer.status, answer.end, answer.error?.code]).toEqual([200, 'error', 'upstream_cut']);
    expect(await usedBy(answer)).toEqual(named('cut'));
    expect(upstream.served()).toBe(1);
  });

  it('is made when a complete reply broke off, because the client has received nothing', async () => {
    const answer = await call({ model: 'cut' });
    expect([answer.status, answer.end]).toEqual([200, 'done']);
    expect(await usedBy(answer)).toEqual(named('cut', 'behind cut'));
  });

  it('is made when a complete reply is too large, and without another channel the client gets an error', async () => {
    const answer = await call({ model: 'boundless' });
    expect([answer.status, answer.end]).toEqual([200, 'done']);
    expect(await usedBy(answer)).toEqual(named('boundless', 'behind boundless'));
    const refused = await call({ model: 'only-boundless' });
    expect([refused.status, refused.error?.code]).toEqual([500, 'read_response_body_failed']);
    expect(refused.error?.message).toContain('上游回复过大');
    expect(await rowOf(testBed, refused.requestId)).toMatchObject({ type: 5, quota: 0 });
  });

  it('is not made when an event of a stream that has begun is too large: the client is told so', async () => {
    const answer = await call({ model: 'boundless', isStream: true });
    expect([answer.status, answer.end, answer.error?.code]).toEqual([200, 'error', 'read_response_body_failed']);
    expect(answer.error?.message).toContain('上游回复过大');
    expect(await usedBy(answer)).toEqual(named('boundless'));
  });

  it('is not made after status 400, except from an Anthropic channel', async () => {
    const refused = await call({ model: 'bad-request' });
    expect(refused.status).toBe(400);
    expect(await usedBy(refused)).toEqual(named('bad request'));
    const served = await call({ model: 'claude-bad-request', dialect: 'anthropic' });
    expect(served.status).toBe(200);
    expect(await usedBy(served)).toEqual(named('claude bad request', 'behind claude'));
  });

  it.each([true, false])(
    'is made after an error under status 200 by the status that it states, stream %s; a client gets that status',
    async (isStream) => {
      const answer = await call({ model: 'under-200', isStream });
      expect([answer.status, answer.end]).toEqual([200, 'done']);
      expect(await usedBy(answer)).toEqual(named('failing under 200', 'overloaded under 200', 'behind these'));
      for (const dialect of ['openai', 'anthropic'] as const)
        expect((await call({ model: 'overloaded', dialect, isStream })).status).toBe(529);
    },
  );

  it('is impossible: a 429 has a fixed text for clients of OpenAI, the text of the upstream for clients of Anthropic, and Retry-After', async () => {
    const busy = await call({ model: 'busy' });
    expect([busy.status, busy.error?.message, busy.retryAfter]).toEqual([
      429,
      `${BUSY} (request id: ${busy.requestId})`,
      '1',
    ]);
    const claude = await call({ model: 'claude-busy', dialect: 'anthropic' });
    expect([claude.status, claude.error?.type]).toEqual([429, 'rate_limit_error']);
    expect(claude.error?.message).not.toContain(BUSY);
  });

  it.each([
    ['busy', 'openai'],
    ['claude-busy', 'anthropic'],
    ['bad-request', 'openai'],
  ] as const)(
    'is impossible: the error of %s keeps the rate-limit headers and request id of the upstream',
    async (model, dialect) => {
      const { headers } = await ask(testBed.url, { dialect, key, prompt: 'words', body: { model } });
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('99');
      expect(headers.get('x-request-id')).toMatch(/^req_fake_/);
      expect(headers.get('openai-organization')).toBeNull();
      expect(headers.get('set-cookie')).toBeNull();
    },
  );

  it('is pointless: message, type and code of the upstream reach the client', async () => {
    const answer = await call({ model: 'bad-request' });
    expect(answer.error).toMatchObject({ type: 'invalid_request_error', code: 'server_error' });
    expect(answer.error?.message).toContain('was told to answer 400');
  });

  it('keeps the status to which a channel maps an error', async () => {
    const answer = await call({ model: 'mapped-status' });
    expect(answer.status).toBe(418);
    expect(await rowOf(testBed, answer.requestId)).toMatchObject({ type: 5, quota: 0, other: { status_code: 418 } });
  });

  it('is pointless: errors reach the client without key, address and account of the channel', async () => {
    for (const model of ['bad-key', 'bad-request', 'unreachable']) {
      const answer = await call({ model });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(answer.error)).not.toMatch(/127\.0\.0\.1|bad-key|sk-upstream|org-fake/);
    }
    const reply = await ask(testBed.url, { dialect: 'openai', key, prompt: 'words', body: { model: 'alias' } });
    expect(reply.headers.get('openai-organization')).toBeNull();
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('99');
  });

  it('uses the mapped model name, while price and log use the requested one', async () => {
    const answer = await call({ model: 'alias' });
    expect(upstream.journal()[0]?.model).toBe('target');
    const row = await rowOf(testBed, answer.requestId);
    expect(row).toMatchObject({ model_name: 'alias', other: { is_model_mapped: true, upstream_model_name: 'target' } });
  });

  it('finds the channel of the family for a custom GPT, and sends its own name', async () => {
    const { status, requestId } = await call({ model: 'gpt-4o-gizmo-g-abc' });
    expect(status).toBe(200);
    expect(upstream.journal()[0]?.model).toBe('gpt-4o-gizmo-g-abc');
    expect(await rowOf(testBed, requestId)).toMatchObject({ model_name: 'gpt-4o-gizmo-*' });
  });

  it('is not made for a circular model mapping, which is logged as an internal error', async () => {
    const answer = await call({ model: 'cycle' });
    expect([answer.status, answer.error?.code, answer.error?.type]).toEqual([
      500,
      'model_mapped_error',
      'new_api_error',
    ]);
    expect(answer.error?.message).toContain('model_mapping_contains_cycle');
    expect(upstream.served()).toBe(0);
    expect(await rowOf(testBed, answer.requestId)).toMatchObject({ type: 5, quota: 0 });
  });

  it('sends the parameters that the channel overrides', async () => {
    await call({ model: 'override' });
    expect(upstream.journal()[0]?.body).toMatchObject({ temperature: 0.25, seed: 7, max_tokens: 100 });
  });

  it('is not made for the key of an administrator that names a channel, which others may not', async () => {
    const answer = await call({ model: 'tiers', withKey: `${adminKey}-${ids['never reached']}` });
    expect(await usedBy(answer)).toEqual(named('never reached'));
    const failed = await call({ model: 'tiers', withKey: `${adminKey}-${ids['broken high']}` });
    expect(failed.status).toBe(500);
    expect(await usedBy(failed)).toEqual(named('broken high'));
    const usual = await call({ model: 'tiers' });
    expect([await isNamed(answer), await isNamed(failed), await isNamed(usual)]).toEqual([true, true, undefined]);
    const texts = await Promise.all(
      [
        `${key}-${ids['good low']}`,
        `${key}-`,
        `${adminKey}-`,
        `${adminKey}-x1`,
        `${adminKey}-99999`,
        `${adminKey}-${ids.disabled}`,
      ].map(async (withKey) => {
        const { status, error } = await call({ model: 'alias', withKey });
        return [status, error?.message?.replace(/ \(request.*/, '')];
      }),
    );
    expect(texts).toEqual([
      [403, '普通用户不支持指定渠道'],
      [403, '普通用户不支持指定渠道'],
      [400, '无效的渠道 Id'],
      [400, '无效的渠道 Id'],
      [400, '无效的渠道 Id'],
      [403, '该渠道已被禁用'],
    ]);
  });
});

describe('a channel that fails always', () => {
  let testBed: TestBed;
  let upstreams: FakeUpstream[] = [];
  beforeAll(async () => {
    upstreams = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
    testBed = await startTestBed(allServices);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  });

  it('is passed over after the first failures while another one serves, and serves again when it has recovered or was changed', async () => {
    const [one, other] = upstreams as [FakeUpstream, FakeUpstream];
    const fields = { models: 'gpt-4o-mini' };
    const id = await testBed.channel({ name: 'one', base_url: one.url, ...fields });
    await testBed.channel({ name: 'other', base_url: other.url, ...fields });
    const key = await testBed.token(await testBed.user('patient', 100_000_000));
    const call = async (): Promise<number> =>
      (await ask(testBed.url, { dialect: 'openai', key, prompt: 'words', body: { model: 'gpt-4o-mini' } })).status;
    const fail = async (): Promise<void> => {
      one.failWith(503);
      for (let failures = 0; failures < 5;) if ((await call()) === 503) failures += 1;
    };
    const clock = testBed.process.services.get('relay')!.app.get(Clock);
    // The pause is over when the test says so.
    let now = clock.monotonic();
    const watch = jest.spyOn(clock, 'monotonic').mockImplementation(() => now);
    try {
      await fail();
      const statuses: number[] = [];
      for (let turn = 0; turn < 20; turn += 1) statuses.push(await call());
      expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
      expect(one.served()).toBe(5);

      one.reset();
      now += 10_000;
      while (one.served() < 3) expect(await call()).toBe(200);

      await fail();
      one.reset();
      // Somebody has changed it, perhaps mended it, so it need not wait.
      await testBed.root.data('PUT', '/api/channel/', { id, weight: 1 });
      while (one.served() === 0) expect(await call()).toBe(200);
    } finally {
      watch.mockRestore();
    }
  });
});
