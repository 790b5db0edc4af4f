import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Channel, ChannelWorld, FIELDS, SECRET } from './channel-world.js';
import { expectFields, expectErrorReply, expectSuccess, spellings } from './support.js';

describe('lists of channels', () => {
  const world = new ChannelWorld();
  const search = async (query: Record<string, string>): Promise<string[]> => {
    const found = await world.admin.data<Channel[]>('GET', `/api/channel/search?${new URLSearchParams(query)}`);
    return found.map(({ name }) => name);
  };

  beforeAll(async () => {
    await world.open();
    for (let more = 0; more < 3; more += 1) await world.made();
  }, 120_000);
  afterAll(() => world.close());

  describe('GET /api/channel/', () => {
    it.each(spellings('/api/channel/?p=0&page_size=3'))('GET %s returns a plain array without keys', async (path) => {
      const reply = await world.admin.call<Channel[]>('GET', path);
      expectSuccess(reply);
      expect(reply.body.data).toHaveLength(3);
      for (const channel of reply.body.data) expectFields(channel, FIELDS);
      expect(JSON.stringify(reply.body)).not.toMatch(new RegExp(`${SECRET}|sealed`));
    });

    it('orders by priority and then by id, or by id alone', async () => {
      await world.made({ priority: 50 });
      await world.made({ priority: 1 });
      const rows = await world.list();
      expect(rows).toEqual([...rows].sort((a, b) => Number(b['priority']) - Number(a['priority']) || b.id - a.id));
      const byId = (await world.list('p=0&page_size=100&id_sort=true')).map(({ id }) => id);
      expect(byId).toEqual([...byId].sort((a, b) => b - a));
    });

    it.each([
      ['p=1&page_size=4', 4, 4],
      ['p=0', 0, 10],
      ['', 0, 10],
      ['p=-1&page_size=2', 0, 2],
      ['p=x&page_size=2', 0, 2],
      ['page_size=0', 0, 10],
      ['page_size=-4', 0, 10],
      ['page_size=x', 0, 10],
    ])('%s: from %i on, %i of them', async (query, from, length) => {
      const all = (await world.list('p=0&page_size=100&id_sort=true')).map(({ id }) => id);
      expect((await world.list(`${query}&id_sort=true`)).map(({ id }) => id)).toEqual(all.slice(from, from + length));
    });

    it('pages by tags in tag mode, all channels of each, still without keys', async () => {
      for (const tag of ['tag-a', 'tag-b', 'tag-a']) await world.made({ tag, priority: 60 });
      const page = await world.admin.call<Channel[]>('GET', '/api/channel/?p=0&page_size=1&tag_mode=true');
      expect(new Set(page.body.data.map(({ tag }) => tag)).size).toBe(1);
      expect(JSON.stringify(page.body)).not.toContain(SECRET);
      const both = (await world.list('p=0&page_size=100&tag_mode=true')).filter(({ tag }) =>
        String(tag).startsWith('tag-'),
      );
      expect(both.map(({ tag }) => tag).sort()).toEqual(['tag-a', 'tag-a', 'tag-b']);
    });
  });

  describe('GET /api/channel/search', () => {
    beforeAll(async () => {
      await world.made({ name: 'find 50%', models: 'model-one', group: 'vip' });
      await world.made({ name: 'find 50x', models: 'model_two', group: 'vip,svip', key: 'sk-find-me' });
      await world.made({ name: '查找', models: 'model-three', group: 'default', base_url: 'http://127.0.0.1:12345' });
    });

    it.each([
      [{ keyword: 'find' }, ['find 50x', 'find 50%']],
      [{ keyword: '50%' }, ['find 50%']],
      [{ keyword: 'FIND 50X' }, ['find 50x']],
      [{ keyword: '查' }, ['查找']],
      [{ keyword: '127.0.0.1:12345' }, ['查找']],
      [{ model: 'model_two' }, ['find 50x']],
      [{ model: 'model_one' }, []],
      [{ group: 'vip', keyword: 'find' }, ['find 50x', 'find 50%']],
      [{ group: 'svip', keyword: 'find' }, ['find 50x']],
      [{ group: 'vi', keyword: 'find' }, []],
      [{ keyword: 'find', model: 'model-one', group: 'vip' }, ['find 50%']],
      [{ keyword: 'sk-find-me' }, ['find 50x']],
      [{ keyword: 'sk-find' }, []],
      [{ keyword: SECRET.slice(0, -1) }, []],
      [{ keyword: "' or 1=1" }, []],
    ])('%j finds %j', async (query, names) => {
      expect(await search({ id_sort: 'true', ...(query as Record<string, string>) })).toEqual(names);
    });

    it('finds an id', async () => {
      const { id, name } = await world.made();
      expect(await search({ keyword: String(id) })).toContain(name);
      expect(await search({ keyword: '99999999999' })).toEqual([]);
    });

    it('supports tag mode and both spellings of the path, and refuses a NUL', async () => {
      await world.made({ name: 'tagged find', tag: 'finders' });
      for (const path of spellings('/api/channel/search?keyword=tagged&group=&model=&id_sort=false&tag_mode=true')) {
        expect((await world.admin.data<Channel[]>('GET', path)).map(({ tag }) => tag)).toEqual(['finders']);
      }
      expectErrorReply(await world.call('GET', '/api/channel/search?keyword=%00'), '无效的参数');
    });
  });

  describe('tags', () => {
    it('are set on many channels at once, returning the number', async () => {
      const ids = [(await world.made()).id, (await world.made()).id];
      for (const path of spellings('/api/channel/batch/tag')) {
        const reply = await world.call('POST', path, { ids, tag: '新标签' });
        expectSuccess(reply);
        expect(reply.body.data).toBe(2);
      }
      expect((await world.read(ids[0] ?? 0))['tag']).toBe('新标签');
      expectSuccess(await world.call('POST', '/api/channel/batch/tag', { ids, tag: null }));
      expect((await world.read(ids[0] ?? 0))['tag']).toBe('');
      expectErrorReply(await world.call('POST', '/api/channel/batch/tag', { ids, tag: '' }), '标签不能为空！');
      expectErrorReply(await world.call('POST', '/api/channel/batch/tag', { ids: [], tag: 'x' }), '参数错误');
      expectErrorReply(await world.call('POST', '/api/channel/batch/tag', { tag: 'x' }), '参数错误');
    });

    it('are edited in every channel that has them', async () => {
      const channels = [
        await world.made({ tag: 'together', priority: 1 }),
        await world.made({ tag: 'together', priority: 2 }),
      ];
      expectSuccess(
        await world.call('PUT', '/api/channel/tag', {
          tag: 'together',
          priority: 8,
          weight: 9,
          models: 'm1,m2',
          groups: 'vip',
          model_mapping: '{"m1":"m2"}',
        }),
      );
      for (const { id } of channels)
        expect(await world.read(id)).toMatchObject({
          priority: 8,
          weight: 9,
          models: 'm1,m2',
          group: 'vip',
          model_mapping: '{"m1":"m2"}',
        });
      expectSuccess(await world.call('POST', '/api/channel/tag/disabled', { tag: 'together' }));
      for (const { id } of channels) expect((await world.read(id)).status).toBe(2);
      expectSuccess(await world.call('POST', '/api/channel/tag/enabled/', { tag: 'together' }));
      for (const { id } of channels) expect((await world.read(id)).status).toBe(1);
      expectSuccess(await world.call('PUT', '/api/channel/tag/', { tag: 'together', new_tag: 'renamed' }));
      expect((await world.read(channels[0]?.id ?? 0))['tag']).toBe('renamed');
      expectSuccess(await world.call('PUT', '/api/channel/tag', { tag: 'renamed', new_tag: '' }));
      expect((await world.read(channels[0]?.id ?? 0))['tag']).toBe('');
    });

    it.each([
      [{}, 'tag不能为空'],
      [{ tag: '' }, 'tag不能为空'],
      [{ tag: 5 }, 'tag不能为空'],
      [{ tag: 'x' }, '没有任何修改！'],
      [{ tag: 'x', priority: 'a' }, '优先级必须是整数！'],
      [{ tag: 'x', priority: 1.5 }, '优先级必须是整数！'],
      [{ tag: 'x', weight: -1 }, '权重必须是非负整数！'],
      [{ tag: 'x', weight: 'a' }, '权重必须是非负整数！'],
      [{ tag: 'x', model_mapping: '[' }, '模型映射必须是合法的 JSON 格式！'],
    ])('refuse the edit %j', async (body, message) => {
      expectErrorReply(await world.call('PUT', '/api/channel/tag', body), message);
    });

    it.each(['enabled', 'disabled'])('refuse to be %s without a name', async (action) => {
      for (const body of [{}, { tag: '' }, { tag: null }, { tag: 7 }])
        expectErrorReply(await world.call('POST', `/api/channel/tag/${action}`, body), 'tag不能为空');
    });
  });

  it.each([
    ['POST', '/api/channel/batch'],
    ['POST', '/api/channel/batch/tag'],
    ['PUT', '/api/channel/tag'],
    ['POST', '/api/channel/tag/enabled'],
    ['POST', '/api/channel/tag/disabled'],
  ] as const)('%s %s refuses an unreadable body with the documented message', async (method, path) => {
    for (const body of ['', '[]', 'null', '"x"', '{"ids":'])
      expectErrorReply(await world.call(method, path, body), '参数错误');
  });

  it('POST /api/channel/fix returns the number of channels', async () => {
    for (const path of spellings('/api/channel/fix')) {
      const reply = await world.call('POST', path);
      expectSuccess(reply);
      expect(reply.body.data).toBe((await world.list()).length);
    }
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [0, 1],
    [null, 1],
  ])('makes a channel of the status %j, e.g. the copy of another one, with %j', async (status, made) => {
    expect(await world.made({ status, models: `status-${status}` })).toMatchObject({ status: made });
    const enabled = await world.admin.data<string[]>('GET', '/api/channel/models_enabled');
    expect(enabled.includes(`status-${status}`)).toBe(made === 1);
  });

  it.each(['null', 'NULL', 'a"\\{}b'])('serves a model and a group of the name %j', async (name) => {
    const names = { models: `${name},other`, group: `${name},default` };
    const { id } = await world.made(names);
    expect(await world.read(id)).toMatchObject(names);
    expect(await world.admin.data<string[]>('GET', '/api/channel/models_enabled')).toContain(name);
    expectSuccess(await world.update({ id, models: name, group: name }));
    expect(await world.read(id)).toMatchObject({ models: name, group: name });
  });

  it('refuses to test a model with a NUL in its name', async () => {
    const { id } = await world.made();
    expectErrorReply(await world.call('GET', `/api/channel/test/${id}?model=a%00`), '无效的参数');
  });
});
