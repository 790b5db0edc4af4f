import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Proof } from '@tollgate/contracts/api/proof';
import { TASK_KEY } from '@tollgate/testing';
import { quotaOf, rowOf } from '../support/relay-site.js';
import { TaskWorld, until } from './task-world.js';

describe('drawings and songs', () => {
  const world = new TaskWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.reset());

  it('submits a drawing, charges it, and shows it to its owner only', async () => {
    const before = await quotaOf(world.testBed, world.user);
    const { status, id, json } = await world.call('/mj-fast/mj/submit/imagine', {
      ...{ prompt: 'a cat --fast', accountFilter: { modes: [] }, notifyHook: 'https://example.com/hook' },
    });
    expect({ status, json }).toMatchObject({ status: 200, json: { code: 1, result: expect.stringMatching(/^mj-/) } });
    expect(world.submissions()).toMatchObject([{ path: '/mj/submit/imagine', body: { prompt: 'a cat --fast' } }]);
    expect(Object.keys(world.submissions()[0]?.body ?? {})).toEqual(['prompt']);
    await until(async () => before - (await quotaOf(world.testBed, world.user)) === 50_000);
    const row = await rowOf(world.testBed, id);
    expect(row).toMatchObject({
      type: 2,
      quota: 50_000,
      model_name: 'mj_imagine',
      prompt_tokens: 0,
      channel: world.drawer,
    });
    expect(row.content).toBe(`模型固定价格 0.10，分组倍率 1.00，操作 IMAGINE，ID ${json.result}`);
    const fetched = await world.call<object>(`/mj/task/${json.result}/fetch`);
    expect(fetched.json).toMatchObject({
      id: json.result,
      action: 'IMAGINE',
      status: 'SUBMITTED',
      buttons: [],
      imageUrl: '',
    });
    await world.call('/mj/submit/imagine/', { prompt: 'a cat' });
    expect(world.submissions().at(-1)?.path).toBe('/mj/submit/imagine');
    const foreign = await world.call(`/mj/task/${json.result}/fetch`, undefined, { 'mj-api-secret': world.otherKey });
    expect(foreign).toMatchObject({
      status: 400,
      json: { description: 'task_no_found', code: 4, type: 'upstream_error' },
    });
    expect((await world.call(`/mj/task/list-by-condition`, { ids: [json.result, 'x'] })).json).toHaveLength(1);
  });

  it.each([
    ['/%6Dj/submit/imagine', '/mj/submit/imagine'],
    ['/fast/%6Dj/submit/imagine', '/mj/submit/imagine'],
    ['/mj/submit/imagine#/mj/submit/upload-discord-images', '/mj/submit/imagine'],
    ['/%6Dj/submit/imagine#/mj/../mj/account/list', '/mj/submit/imagine'],
    ['/mj/submit/im%61gine?x=1#5', '/mj/submit/imagine'],
  ])('sends what is submitted at %s to the path of the action that is charged', async (target, sent) => {
    await world.post(target, { prompt: 'a cat' });
    expect(world.submissions().map(({ path }) => path)).toEqual([sent]);
  });

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

  it('accepts the end of a drawing only at the signed callback address, and serves its image', async () => {
    await world.option('MjNotifyEnabled', 'true');
    let task = '';
    // Every replica learns of an option within a second.
    await until(async () => {
      world.upstream.calls.length = 0;
      ({ task } = await world.imagine());
      return world.submissions()[0]?.body.notifyHook !== undefined;
    });
    const hook = new URL(String(world.submissions()[0]?.body.notifyHook));
    await world.option('MjNotifyEnabled', 'false');
    const news = { id: task, status: 'SUCCESS', progress: '100%', imageUrl: `${world.upstream.url}/pictures/cat.png` };
    const forged = await world.call('/mj/notify?sign=x.y', news);
    expect(forged.status).toBe(403);
    expect((await world.call(`${hook.pathname}${hook.search}`, news)).json).toMatchObject({ code: 1 });
    expect((await world.call(`${hook.pathname}${hook.search}`, { ...news, status: 'FAILURE' })).status).toBe(400);
    const { imageUrl } = (await world.call<{ imageUrl: string }>(`/mj/task/${task}/fetch`)).json;
    const address = new URL(imageUrl);
    expect(address.pathname).toBe(`/mj/image/${task}`);
    const picture = await fetch(`${world.testBed.url}${address.pathname}${address.search}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(60);
    const unsigned = await world.call(address.pathname, undefined, {});
    expect(unsigned).toMatchObject({ status: 400, json: { error: 'midjourney_task_not_found' } });
  });

  it('shows of the properties that a proxy keeps only the prompts', async () => {
    const { task } = await world.imagine();
    const shown = { finalPrompt: 'a cat --v 6', finalZhPrompt: '一只猫' };
    const properties = { ...shown, discordInstanceId: '118', messageHash: 'd41d', nonce: '77' };
    world.upstream.drawings.set(task, { id: task, status: 'SUCCESS', progress: '100%', properties });
    const fetched = () => world.call<{ status: string; properties: object }>(`/mj/task/${task}/fetch`);
    await until(async () => (await fetched()).json.status === 'SUCCESS');
    expect((await fetched()).json.properties).toEqual(shown);
    const listed = await world.call<object[]>('/mj/task/list-by-condition', { ids: [task] });
    expect(listed.json).toMatchObject([{ properties: shown }]);
    expect(JSON.stringify(listed.json)).not.toContain('discordInstanceId');
  });

  it('refunds a failed drawing once, with a log row', async () => {
    const caller = await world.testBed.user('refunded', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    const submitted = await world.call('/mj/submit/imagine', { prompt: 'a cat' }, mine);
    const task = submitted.json.result;
    await until(async () => (await quotaOf(world.testBed, caller.id)) === 50_000);
    world.upstream.drawings.set(task, { id: task, status: 'FAILURE', progress: '10%', failReason: 'banned prompt' });
    await until(async () => (await quotaOf(world.testBed, caller.id)) === 100_000);
    const told = async (): Promise<string[]> =>
      (await world.testBed.root.data<{ items: { content: string }[] }>('GET', '/api/log/?type=4')).items.map(
        ({ content }) => content,
      );
    await until(async () => (await told()).includes(`构图失败 ${task}，补偿 ＄0.100000 额度`));
    expect((await world.call(`/mj/task/${task}/fetch`, undefined, mine)).json).toMatchObject({
      status: 'FAILURE',
      failReason: 'banned prompt',
    });
    // The chain of proof contains the place of both events in the event log.
    const { steps } = await world.testBed.root.data<Proof>('GET', `/api/proof/task/${submitted.id}`);
    const events = steps.filter(({ link }) => link === 'event').map(({ facts }) => facts.map(({ name }) => name));
    expect(events).toEqual(Array.from({ length: 2 }, () => ['topic', 'id', 'partition', 'offset']));
    const topics = steps.flatMap(({ facts }) => facts.filter(({ name }) => name === 'topic'));
    expect(topics.map(({ value }) => value)).toEqual(['request-consumed', 'task-refunded']);
  }, 60_000);

  it('sends a follow-up to the channel of the original drawing, which must be finished', async () => {
    const { task } = await world.imagine();
    const change = () => world.call('/mj/submit/change', { taskId: task, action: 'UPSCALE', index: 1 });
    expect((await change()).json).toMatchObject({ description: 'task_status_not_success', code: 4 });
    await world.option('MjActionCheckSuccessEnabled', 'false');
    await world.testBed.channel({
      name: 'dearer',
      type: 5,
      key: 'wrong',
      base_url: world.upstream.url,
      models: 'mj_upscale',
      priority: 9,
    });
    await until(async () => (await change()).json.code === 1);
    await world.option('MjActionCheckSuccessEnabled', 'true');
    const foreign = await world.call(
      '/mj/submit/change',
      { taskId: task, action: 'REROLL' },
      { 'mj-api-secret': world.otherKey },
    );
    expect(foreign.json).toMatchObject({ description: 'task_not_found' });
    // The channel on which the task began is disabled, and no other channel has this task.
    await world.testBed.root.data('PUT', '/api/channel/', { id: world.drawer, status: 2 });
    try {
      const reroll = () => world.call('/mj/submit/change', { taskId: task, action: 'REROLL' });
      await world.option('MjActionCheckSuccessEnabled', 'false');
      await until(async () => (await reroll()).json.description === '该任务所属渠道已被禁用');
    } finally {
      await world.option('MjActionCheckSuccessEnabled', 'true');
      await world.testBed.root.data('PUT', '/api/channel/', { id: world.drawer, status: 1 });
    }
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

  it('records a refused call with its reason, user and token', async () => {
    const caller = await world.testBed.user('traced', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    const { id } = await world.call('/mj/submit/imagine', {}, mine);
    await world.call('/mj/submit/action', { taskId: 'x', customId: 'MJ::JOB::explode' }, mine);
    await world.call('/suno/submit/lyrics', {}, { authorization: `Bearer ${mine['mj-api-secret']}` });
    const traced = (): Promise<{ items: Record<string, unknown>[] }> =>
      world.testBed.root.data('GET', `/api/log/refusal?user_id=${caller.id}`);
    await until(async () => (await traced()).items.length === 3);
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

  it('disables a proxy without accounts, unless the client limited the accounts', async () => {
    const proxy = await world.testBed.channel({
      ...{ name: 'empty', type: 2, key: TASK_KEY, base_url: world.upstream.url },
      ...{ models: 'mj_describe', priority: 9 },
    });
    const stateOf = () =>
      world.testBed.root.data<{ status: number; other_info: string }>('GET', `/api/channel/${proxy}`);
    await world.option('AutomaticDisableChannelEnabled', 'true');
    try {
      world.upstream.answer = { body: { code: 3, description: 'no account' } };
      const submitted = (body: object) => world.call('/mj/submit/describe', { base64: 'x', ...body });
      await until(async () => (await submitted({ botType: 'NIJI_JOURNEY' })).json.code === 3);
      const suspect = () =>
        world.testBed.root.data<{ suspicion: object | null }>('GET', `/api/channel/${proxy}/health`);
      await until(async () => (await suspect()).suspicion !== null);
      expect((await stateOf()).status).toBe(1);
      // An error that one client can cause is no proof; one that no client can cause is.
      await until(async () => {
        await submitted({});
        return (await stateOf()).status === 3;
      });
      expect((await stateOf()).other_info).toContain('No available account instance');
    } finally {
      await world.option('AutomaticDisableChannelEnabled', 'false');
    }
  }, 60_000);

  it('charges nothing for a task that the upstream refuses, and returns its error', async () => {
    const caller = await world.testBed.user('refused', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    world.upstream.answer = { body: { code: 24, description: '可能包含敏感词', properties: { bannedWord: 'nude' } } };
    const { status, id, json } = await world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
    expect({ status, json }).toEqual({ status: 200, json: world.upstream.answer.body });
    expect(await rowOf(world.testBed, id)).toMatchObject({ type: 5, quota: 0 });
    world.upstream.answer = { body: { code: 30, description: 'full' } };
    expect((await world.call('/mj/submit/imagine', { prompt: 'x' }, mine)).status).toBe(429);
    expect(await quotaOf(world.testBed, caller.id)).toBe(100_000);
  });

  it('refunds a drawing that the upstream accepted without an id', async () => {
    const caller = await world.testBed.user('nameless', 1_000_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    world.upstream.answer = { body: { code: 1, description: 'ok' } };
    const { status, id, json } = await world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
    expect({ status, json }).toEqual({ status: 200, json: world.upstream.answer.body });
    expect(await rowOf(world.testBed, id)).toMatchObject({ type: 2, quota: 50_000 });
    await until(async () => (await quotaOf(world.testBed, caller.id)) === 1_000_000);
  });

  it.each([
    ['drawing', '/mj/submit/imagine', { prompt: 'a cat' }, 50_000],
    ['song', '/suno/submit/music', { prompt: 'a song' }, 50_000],
  ])('submits a %s once for an Idempotency-Key, and charges it once', async (kind, path, body, price) => {
    const caller = await world.testBed.user(`two ${kind}`, 1_000_000);
    const token = await world.testBed.token(caller);
    const headers = { 'mj-api-secret': token, authorization: `Bearer ${token}`, 'idempotency-key': `once ${kind}` };
    const first = await world.call(path, body, headers);
    const again = await world.call(path, body, headers);
    expect([first.status, again]).toEqual([200, first]);
    expect(world.submissions()).toHaveLength(1);
    const other = await world.call(path, { ...body, prompt: 'something else' }, headers);
    expect(other.status).toBe(422);
    await until(async () => (await quotaOf(world.testBed, caller.id)) === 1_000_000 - price);
    const elsewhere = await world.call(path, body, { ...headers, 'idempotency-key': `twice ${kind}` });
    expect([elsewhere.status, world.submissions().length]).toEqual([200, 2]);
  });

  it('runs a submission again with the same Idempotency-Key after the upstream refused it', async () => {
    const mine = { 'mj-api-secret': world.key, 'idempotency-key': 'refused first' };
    world.upstream.answer = { body: { code: 24, description: '可能包含敏感词' } };
    expect((await world.call('/mj/submit/imagine', { prompt: 'a dog' }, mine)).json.code).toBe(24);
    world.upstream.answer = undefined;
    expect((await world.call('/mj/submit/imagine', { prompt: 'a dog' }, mine)).json.code).toBe(1);
  });

  it.each([
    { kind: 'drawing', type: 2, model: 'mj_shorten', path: '/mj/submit/shorten', price: 50_000 },
    { kind: 'song', type: 36, model: 'suno_lyrics', path: '/suno/submit/lyrics', price: 5000 },
  ])(
    'submits a $kind to the next channel when the first cannot be reached',
    async ({ type, model, path, price }) => {
      const fields = { type, key: TASK_KEY, models: model };
      const dead = await world.testBed.channel({
        name: 'dead',
        ...fields,
        base_url: 'http://127.0.0.1:1',
        priority: 9,
      });
      const base = type === 36 ? `${world.upstream.url}/suno` : world.upstream.url;
      const alive = await world.testBed.channel({ name: 'alive', ...fields, base_url: base, priority: 5 });
      const mine = { 'mj-api-secret': world.key, authorization: `Bearer ${world.key}` };
      const submit = () => world.call<{ code: number | string }>(path, { prompt: 'words' }, mine);
      await until(async () => JSON.stringify((await submit()).json).includes('do_request_failed'));
      await world.option('RetryTimes', '1');
      let last = await submit();
      await until(async () => last.status === 200 || (last = await submit()).status === 200);
      const row = await rowOf(world.testBed, last.id);
      expect(row).toMatchObject({ type: 2, quota: price, channel: alive });
      expect(row.other).toMatchObject({ admin_info: { use_channel: [String(dead), String(alive)] } });
      const list = type === 36 ? '/api/task/' : '/api/mj/';
      const tasks = await world.testBed.root.data<{ items?: object[] } | object[]>(
        'GET',
        `${list}?channel_id=${alive}`,
      );
      expect(Array.isArray(tasks) ? tasks : tasks.items).toHaveLength(1);
      await world.option('RetryTimes', '0');
    },
    60_000,
  );

  it('counts for the rate limit of the user, and is refused in its dialect', async () => {
    const mine = { 'mj-api-secret': await world.testBed.token(await world.testBed.user('limited', 1_000_000)) };
    await world.option('ModelRequestRateLimitCount', '1');
    await world.option('ModelRequestRateLimitEnabled', 'true');
    try {
      const submit = () => world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
      await until(async () => (await submit()).status === 429);
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
        await until(async () => (await query()).status === 403);
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
      await until(async () => (await query()).status === 429);
      expect((await query()).json.description).toContain('您已达到总请求数限制：1分钟内最多请求1次');
    } finally {
      await world.option('ModelRequestRateLimitEnabled', 'false');
      await world.option('ModelRequestRateLimitCount', '0');
    }
  }, 60_000);

  it('charges nothing for opening a modal, and refuses an empty wallet', async () => {
    const { task } = await world.imagine();
    world.upstream.drawings.set(task, { id: task, status: 'SUCCESS', progress: '100%' });
    await until(async () => (await world.call<{ status: string }>(`/mj/task/${task}/fetch`)).json.status === 'SUCCESS');
    const inpaint = { taskId: task, customId: 'MJ::Inpaint::1::x::SOLO' };
    world.upstream.answer = { body: { code: 21, description: 'window', result: 'mj-window' } };
    const window = await world.call('/mj/submit/action', inpaint);
    expect(window.json).toMatchObject({ code: 21 });
    expect(await rowOf(world.testBed, window.id)).toMatchObject({ type: 2, quota: 0, model_name: 'mj_inpaint' });
    world.upstream.answer = undefined;
    const poor = await world.testBed.token(await world.testBed.user('poor', 10));
    const refused = await world.call('/mj/submit/imagine', { prompt: 'x' }, { 'mj-api-secret': poor });
    expect(refused).toMatchObject({ status: 400, json: { description: 'quota_not_enough', code: 4 } });
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

  it('submits a song, charges it, and polls it to the end', async () => {
    const bearer = { authorization: `Bearer ${world.key}` };
    const { status, id, json } = await world.call<{ code: string; data: string }>(
      '/suno/submit/music',
      { prompt: 'la' },
      bearer,
    );
    expect({ status, json }).toMatchObject({ status: 200, json: { code: 'success', data: expect.any(String) } });
    expect(world.submissions()).toMatchObject([
      { path: '/suno/submit/MUSIC', body: { prompt: 'la', mv: 'chirp-v3-0' } },
    ]);
    expect(await rowOf(world.testBed, id)).toMatchObject({ quota: 50_000 });
    expect((await rowOf(world.testBed, id)).content).toBe('模型固定价格 0.10，分组倍率 1.00，操作 MUSIC');
    world.upstream.songs.set(json.data, {
      task_id: json.data,
      status: 'SUCCESS',
      progress: '100%',
      data: [{ id: 'clip' }],
    });
    const fetched = () =>
      world.call<{ data: { status: string; data: unknown } }>(`/suno/fetch/${json.data}`, undefined, bearer);
    await until(async () => (await fetched()).json.data.status === 'SUCCESS');
    expect((await fetched()).json).toMatchObject({
      code: 'success',
      data: { action: 'MUSIC', data: [{ id: 'clip' }] },
    });
    const listed = await world.call<{ data: object[] }>('/suno/fetch', { ids: [json.data], action: 'MUSIC' }, bearer);
    expect(listed.json.data).toHaveLength(1);
    const rows = (query: string) =>
      world.testBed.root.data<{ task_id: string; submit_time: number }[]>('GET', `/api/task/?${query}`);
    const [row] = await rows(`task_id=${json.data}`);
    const second = `start_timestamp=${row?.submit_time}&end_timestamp=${row?.submit_time}`;
    expect((await rows(second)).map(({ task_id: id }) => id)).toContain(json.data);
    const missing = await world.call('/suno/fetch/none', undefined, bearer);
    expect(missing).toMatchObject({ status: 400, json: { code: 'task_not_exist', data: null } });
    const refused = await world.call('/suno/submit/dance', { prompt: 'la' }, bearer);
    expect(refused).toMatchObject({ status: 400, json: { message: 'invalid_action', data: null } });
  }, 60_000);
});
