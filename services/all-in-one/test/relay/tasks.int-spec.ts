import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, TASK_KEY } from '@tollgate/testing';
import { quotaOf, rowOf } from '../support/relay-site.js';
import { TaskWorld } from './task-world.js';

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
    await eventually(
      'the drawing is charged',
      async () => before - (await quotaOf(world.testBed, world.user)) === 50_000,
    );
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

  it('accepts the end of a drawing only at the signed callback address, and serves its image', async () => {
    await world.option('MjNotifyEnabled', 'true');
    let task = '';
    // Every replica learns of an option within a second.
    await eventually('the relay asks for notices', async () => {
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

  it('lets browsers keep the finished picture of a drawing, but no preview', async () => {
    const { task } = await world.imagine();
    const shown = async (status: string) => {
      const imageUrl = `${world.upstream.url}/pictures/${status}.png`;
      world.upstream.drawings.set(task, { id: task, status, progress: '40%', imageUrl });
      const fetched = () => world.call<{ status: string; imageUrl: string }>(`/mj/task/${task}/fetch`);
      await eventually('the task goes on', async () => (await fetched()).json.status === status);
      const { search, pathname, searchParams } = new URL((await fetched()).json.imageUrl);
      const picture = await fetch(`${world.testBed.url}${pathname}${search}`);
      return [picture.status, searchParams.has('rand'), picture.headers.get('cache-control')];
    };
    expect(await shown('IN_PROGRESS')).toEqual([200, true, 'no-store']);
    expect(await shown('SUCCESS')).toEqual([200, false, 'private, max-age=86400']);
  });

  it('shows of the properties that a proxy keeps only the prompts', async () => {
    const { task } = await world.imagine();
    const shown = { finalPrompt: 'a cat --v 6', finalZhPrompt: '一只猫' };
    const properties = { ...shown, discordInstanceId: '118', messageHash: 'd41d', nonce: '77' };
    world.upstream.drawings.set(task, { id: task, status: 'SUCCESS', progress: '100%', properties });
    const fetched = () => world.call<{ status: string; properties: object }>(`/mj/task/${task}/fetch`);
    await eventually('the drawing is ready', async () => (await fetched()).json.status === 'SUCCESS');
    expect((await fetched()).json.properties).toEqual(shown);
    const listed = await world.call<object[]>('/mj/task/list-by-condition', { ids: [task] });
    expect(listed.json).toMatchObject([{ properties: shown }]);
    expect(JSON.stringify(listed.json)).not.toContain('discordInstanceId');
  });

  it('masks key and address of the channel in what a proxy tells when it accepts a submission', async () => {
    const told = `${TASK_KEY} draws at ${world.upstream.url}`;
    const [result, imageUrl] = ['mj-told', `${world.upstream.url}/pictures/cat.png`];
    world.upstream.answer = { body: { code: 1, description: told, result, properties: { imageUrl, key: TASK_KEY } } };
    const drawing = await world.call('/mj/submit/imagine', { prompt: 'a cat' });
    const description = '*** draws at ***';
    expect(drawing).toMatchObject({
      ...{ status: 200, json: { code: 1, description, result, properties: { imageUrl, key: '***' } } },
    });
    expect((await world.call(`/mj/task/${result}/fetch`)).json).toMatchObject({ description });
    world.upstream.answer = { body: { code: 'success', message: `${told}/suno`, data: 'suno-told' } };
    const song = await world.call('/suno/submit/music', { prompt: 'la' }, { authorization: `Bearer ${world.key}` });
    expect(song).toMatchObject({ status: 200, json: { code: 'success', message: description, data: 'suno-told' } });
  });

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
    await eventually('the change is accepted', async () => (await change()).json.code === 1);
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
      await eventually(
        'the channel is off for the relay',
        async () => (await reroll()).json.description === '该任务所属渠道已被禁用',
      );
    } finally {
      await world.option('MjActionCheckSuccessEnabled', 'true');
      await world.testBed.root.data('PUT', '/api/channel/', { id: world.drawer, status: 1 });
    }
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
      await eventually(
        'the upstream has no account',
        async () => (await submitted({ botType: 'NIJI_JOURNEY' })).json.code === 3,
      );
      const suspect = () =>
        world.testBed.root.data<{ suspicion: object | null }>('GET', `/api/channel/${proxy}/health`);
      await eventually('the channel is suspected', async () => (await suspect()).suspicion !== null);
      expect((await stateOf()).status).toBe(1);
      // An error that one client can cause is no proof; one that no client can cause is.
      await eventually('the channel is off', async () => {
        await submitted({});
        return (await stateOf()).status === 3;
      });
      expect((await stateOf()).other_info).toContain('No available account instance');
    } finally {
      await world.option('AutomaticDisableChannelEnabled', 'false');
    }
  }, 60_000);

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
      await eventually('the dead channel is tried', async () =>
        JSON.stringify((await submit()).json).includes('do_request_failed'),
      );
      await world.option('RetryTimes', '1');
      let last = await submit();
      await eventually(
        'another channel serves it',
        async () => last.status === 200 || (last = await submit()).status === 200,
      );
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
    await eventually('the song is ready', async () => (await fetched()).json.data.status === 'SUCCESS');
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
