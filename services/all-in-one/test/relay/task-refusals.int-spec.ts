import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, TASK_KEY } from '@tollgate/testing';
import { TaskWorld } from './task-world.js';

describe('refusals of drawings and songs', () => {
  const world = new TaskWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.reset());

  it.each([
    ['another button', { customId: 'MJ::CustomZoom::x', taskId: 'T', customid: 'MJ::JOB::reroll::0::y' }],
    ['another drawing', { customId: 'MJ::JOB::reroll::0::y', taskId: 'T', TaskId: 'X' }],
    ['a callback', { customId: 'MJ::JOB::reroll::0::y', taskId: 'T', notifyhook: 'https://example.com' }],
  ])('refuses a body that names %s for a reader that ignores case', async (_, body) => {
    const refused = await world.call('/mj/submit/action', body);
    expect(refused).toMatchObject({ status: 400, json: { description: 'bind_request_body_failed', code: 4 } });
    const song = { prompt: 'x', continue_clip_id: 'c', task_id: 'T', Task_Id: 'X' };
    const refusedSong = await world.call('/suno/submit/music', song, { authorization: `Bearer ${world.key}` });
    expect(refusedSong).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect(world.submissions()).toEqual([]);
  });

  it('continues a song whose id is a number', async () => {
    const mine = { authorization: `Bearer ${world.key}` };
    const again = await world.call('/suno/submit/music', { prompt: 'x', continue_clip_id: 'c', task_id: 42 }, mine);
    expect(JSON.stringify(again.json)).toContain('task_origin_not_exist');
  });

  it.each([
    ['with a character that no id has', '%00'],
    ['longer than any', 'x'.repeat(129)],
  ])('finds no task for an id %s', async (_, id) => {
    expect(await world.call(`/mj/task/${id}/fetch`)).toMatchObject({
      status: 400,
      json: { description: 'task_no_found' },
    });
    const song = await world.call(`/suno/fetch/${id}`, undefined, { authorization: `Bearer ${world.key}` });
    expect(song).toMatchObject({ status: 400, json: { code: 'task_not_exist' } });
    const list = await world.call('/mj/task/list-by-condition', { ids: [decodeURIComponent(id)] });
    expect(list).toMatchObject({ status: 200, json: [] });
    const origin = { taskId: decodeURIComponent(id), action: 'REROLL' };
    expect((await world.call('/mj/submit/change', origin)).json).toMatchObject({ description: 'task_not_found' });
  });

  it.each([
    ['a prompt without a word', '/mj/submit/imagine', {}, 'prompt_is_required'],
    ['no JSON', '/mj/submit/imagine', '{', 'bind_request_body_failed'],
    ['an unknown button', '/mj/submit/action', { taskId: 'x', customId: 'MJ::JOB::explode' }, 'unknown_action'],
    ['no list of ids', '/mj/task/list-by-condition', { ids: 'x' }, 'bind_request_body_failed'],
    ['one face', '/mj/insight-face/swap', { sourceBase64: 'a' }, 'sour_base64_and_target_base64_is_required'],
    ['an unknown submission', '/mj/submit/paint', {}, 'unknown_action'],
  ])('refuses %s before the upstream call', async (_, path, body, description) => {
    const { status, json } = await world.call(path, body);
    expect({ status, json }).toMatchObject({ status: 400, json: { code: 4, type: 'upstream_error' } });
    expect(json.description).toContain(description);
    expect(world.submissions()).toEqual([]);
  });

  describe('for a key that may not call the model', () => {
    let mine: Record<string, string>;
    beforeAll(async () => {
      const caller = await world.testBed.user('bound', 1_000_000);
      const key = await world.testBed.token(caller, { model_limits_enabled: true, model_limits: 'gpt-4o' });
      mine = { 'mj-api-secret': key, authorization: `Bearer ${key}` };
    });

    it.each([
      ['/mj/submit/imagine', {}, 'mj_imagine'],
      ['/mj/submit/imagine', '{', 'mj_imagine'],
      ['/mj/insight-face/swap', {}, 'swap_face'],
      ['/suno/submit/lyrics', {}, 'suno_lyrics'],
      ['/mj/submit/change', { taskId: 'none', action: 'REROLL' }, 'mj_reroll'],
      ['/mj/submit/simple-change', { content: 'none R' }, 'mj_reroll'],
      ['/mj/submit/action', { taskId: 'none', customId: 'MJ::JOB::reroll::0::x' }, 'mj_reroll'],
      ['/mj/submit/change', { taskId: 'none', action: 'UPSCALE' }, 'mj_upscale'],
      ['/mj/submit/change', { action: 'REROLL' }, 'mj_reroll'],
      ['/mj/submit/action', { taskId: 'none', customId: 'MJ::JOB::upsample::x' }, 'mj_upscale'],
      ['/mj/submit/action', { customId: 'MJ::JOB::reroll::0::x' }, 'mj_reroll'],
    ])('say so before other faults (%s, %j)', async (path, body, model) => {
      const { status, json } = await world.call(path, body, mine);
      expect([status, JSON.stringify(json)]).toEqual([403, expect.stringContaining(`该令牌无权访问模型 ${model}`)]);
    });
  });

  it.each([
    ['/mj/submit/imagine', { prompt: 'a Test_\u200bSensitive cat' }],
    ['/mj/submit/shorten', { prompt: 'test_sensitive' }],
    ['/suno/submit/music', { gpt_description_prompt: 'test_sensitive' }],
    ['/suno/submit/music', { prompt: 'x', title: 'test_sensitive' }],
    ['/suno/submit/music', { prompt: 'x', tags: 'rock, test_sensitive' }],
    ['/suno/submit/music', { prompt: 'x', negative_tags: 'test_sensitive' }],
    ['/suno/submit/lyrics', { prompt: 'test_sensitive' }],
  ])('refuses sensitive words in %s before the upstream call: %j', async (path, body) => {
    const isSong = path.startsWith('/suno');
    const headers = isSong ? { authorization: `Bearer ${world.key}` } : undefined;
    expect(await world.call(path, body, headers)).toMatchObject({
      status: 400,
      json: isSong
        ? { code: 'sensitive_words_detected', message: 'sensitive words detected', data: null }
        : { code: 24, description: 'sensitive words detected', type: 'upstream_error' },
    });
    expect(world.submissions()).toEqual([]);
  });

  it('finds a word whose parts join when the modes are removed', async () => {
    await world.option('MjModeClearEnabled', 'true');
    try {
      expect(await world.call('/mj/submit/imagine', { prompt: 'a test_ --fast\u200bsensitive cat' })).toMatchObject({
        status: 400,
        json: { code: 24 },
      });
      expect(world.submissions()).toEqual([]);
    } finally {
      await world.option('MjModeClearEnabled', 'false');
    }
  });

  it('refuses sensitive words in the prompt of a window, and none while prompts are not checked', async () => {
    const { task: taskId } = await world.imagine();
    world.reset();
    const submit = () => world.call('/mj/submit/modal', { taskId, prompt: 'test_sensitive' });
    expect(await submit()).toMatchObject({ status: 400, json: { code: 24 } });
    expect(world.submissions()).toEqual([]);
    await world.option('CheckSensitiveOnPromptEnabled', 'false');
    try {
      expect(await submit()).toMatchObject({ status: 200, json: { code: 1 } });
    } finally {
      await world.option('CheckSensitiveOnPromptEnabled', 'true');
    }
  });

  it('records a refused call with its reason, user and token', async () => {
    const caller = await world.testBed.user('traced', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    const { id } = await world.call('/mj/submit/imagine', {}, mine);
    await world.call('/mj/submit/action', { taskId: 'x', customId: 'MJ::JOB::explode' }, mine);
    await world.call('/suno/submit/lyrics', {}, { authorization: `Bearer ${mine['mj-api-secret']}` });
    const traced = (): Promise<{ items: Record<string, unknown>[] }> =>
      world.testBed.root.data('GET', `/api/log/refusal?user_id=${caller.id}`);
    await eventually('all three are recorded', async () => (await traced()).items.length === 3);
    const { items } = await traced();
    expect(items.map(({ reason }) => reason).sort()).toEqual([
      'invalid_request',
      'prompt_is_required',
      'unknown_action',
    ]);
    for (const item of items)
      expect(item).toMatchObject({ username: 'traced', token_name: expect.stringMatching(/^t/), status: 400 });
    expect(items.flatMap(({ request_ids: ids }) => ids)).toContain(id);
  });

  it('counts for the rate limit of the user, and is refused in its dialect', async () => {
    const mine = { 'mj-api-secret': await world.testBed.token(await world.testBed.user('limited', 1_000_000)) };
    await world.option('ModelRequestRateLimitCount', '1');
    await world.option('ModelRequestRateLimitEnabled', 'true');
    try {
      const submit = () => world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
      await eventually('the limit holds', async () => (await submit()).status === 429);
      expect((await submit()).json).toMatchObject({
        code: 4,
        description: expect.stringContaining('您已达到总请求数限制：1分钟内最多请求1次'),
      });
    } finally {
      await world.option('ModelRequestRateLimitEnabled', 'false');
      await world.option('ModelRequestRateLimitCount', '0');
    }
  }, 60_000);

  it.each([
    ['a drawing', '/mj/task/x/fetch', undefined, 'task_no_found'],
    ['drawings', '/mj/task/list-by-condition', { ids: [] }, undefined],
    ['a seed', '/mj/task/x/image-seed', undefined, 'task_no_found'],
    ['a song', '/suno/fetch/x', undefined, 'task_not_exist'],
    ['songs', '/suno/fetch', { ids: [] }, undefined],
  ])(
    'checks the group of who asks for %s, and counts nothing for the rate limit',
    async (what, path, body, missing) => {
      const caller = await world.testBed.user(`asks ${what}`.replaceAll(' ', ''), 1_000_000);
      await world.option('UserUsableGroups', '{"default":"d","vip":"v"}');
      const token = await world.testBed.token(caller, { group: 'vip' });
      const mine = { 'mj-api-secret': token, authorization: `Bearer ${token}` };
      const query = () => world.call(path, body, mine);
      const textOf = async () => JSON.stringify((await query()).json);
      try {
        const { status, json } = await query();
        expect([status, JSON.stringify(json)]).toEqual([missing ? 400 : 200, expect.stringContaining(missing ?? '')]);
        await world.option('ModelRequestRateLimitCount', '1');
        await world.option('ModelRequestRateLimitEnabled', 'true');
        for (const expected of [status, status, status]) expect((await query()).status).toBe(expected);
        await world.option('ModelRequestRateLimitEnabled', 'false');
        await world.option('UserUsableGroups', '{"default":"d"}');
        await eventually('the group is refused', async () => (await query()).status === 403);
        expect(await textOf()).toContain('令牌分组 vip 已被禁用');
      } finally {
        await world.option('ModelRequestRateLimitEnabled', 'false');
        await world.option('ModelRequestRateLimitCount', '0');
        await world.option('UserUsableGroups', '{"default":"d","vip":"v"}');
      }
    },
    90_000,
  );

  it('counts image seeds for the rate limit, because the upstream answers them', async () => {
    const { task } = await world.imagine();
    await world.option('ModelRequestRateLimitCount', '1');
    await world.option('ModelRequestRateLimitEnabled', 'true');
    try {
      const query = () => world.call(`/mj/task/${task}/image-seed`);
      await eventually('the limit holds', async () => (await query()).status === 429);
      expect((await query()).json.description).toContain('您已达到总请求数限制：1分钟内最多请求1次');
    } finally {
      await world.option('ModelRequestRateLimitEnabled', 'false');
      await world.option('ModelRequestRateLimitCount', '0');
    }
  }, 60_000);

  it.each([
    ['small', 1],
    ['too large to be read before the wallet is checked', 70_000],
  ])('refuses a caller without quota in the dialect of the task, when the body is %s', async (size, length) => {
    const token = await world.testBed.token(await world.testBed.user(`broke ${size}`.slice(0, 12), 0));
    const mine = { 'mj-api-secret': token, authorization: `Bearer ${token}` };
    const drawing = await world.call('/mj/submit/imagine', { prompt: 'x', base64: 'x'.repeat(length) }, mine);
    expect(drawing).toMatchObject({
      ...{ status: 400, json: { description: 'quota_not_enough', type: 'upstream_error', code: 4 } },
    });
    const song = await world.call('/suno/submit/music', { prompt: 'x'.repeat(length) }, mine);
    expect(song).toMatchObject({ status: 403, json: { code: 'quota_not_enough', data: null } });
    expect(world.submissions()).toEqual([]);
  });

  it('passes on as it is what the upstream says of its own lack of quota', async () => {
    world.upstream.answer = { body: { code: 'insufficient_user_quota', message: 'top up', data: null } };
    const song = await world.call('/suno/submit/music', { prompt: 'la' }, { authorization: `Bearer ${world.key}` });
    expect(song).toMatchObject({ status: 500, json: { code: 'insufficient_user_quota', message: 'top up' } });
  });

  it('fetches no seed from a channel that was switched off', async () => {
    const { task } = await world.imagine();
    const seed = () => world.call(`/mj/task/${task}/image-seed`);
    await world.testBed.root.data('PUT', '/api/channel/', { id: world.drawer, status: 2 });
    try {
      await eventually('the channel is off for the relay', async () => (await seed()).status === 400);
      world.upstream.calls.length = 0;
      expect((await seed()).json).toMatchObject({ code: 4, description: '该任务所属渠道已被禁用' });
      expect(world.submissions()).toEqual([]);
    } finally {
      await world.testBed.root.data('PUT', '/api/channel/', { id: world.drawer, status: 1 });
      await eventually('the channel is on for the relay', async () => (await seed()).status === 200);
    }
  }, 60_000);

  it('refuses an unknown key in its dialect, and fetches a seed from the upstream', async () => {
    const unknown = await world.call('/mj/submit/imagine', { prompt: 'x' }, { 'mj-api-secret': 'sk-wrong' });
    expect(unknown).toMatchObject({
      status: 401,
      json: { code: 4, description: expect.stringContaining('无效的令牌') },
    });
    const { task } = await world.imagine();
    expect((await world.call(`/mj/task/${task}/image-seed`)).json).toMatchObject({ code: 1, result: '1903422042' });
    world.upstream.answer = { body: { code: 4, description: `${TASK_KEY} is wrong at ${world.upstream.url}` } };
    const refused = await world.call(`/mj/task/${task}/image-seed`);
    world.upstream.answer = undefined;
    expect(refused.json).toEqual({ code: 4, description: '*** is wrong at ***' });
  });
});
