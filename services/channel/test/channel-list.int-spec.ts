import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import type {
  BuiltInModel,
  ChannelCounts,
  Channel as ChannelReply,
  ModelsByType,
} from '@tollgate/contracts/api/channel';
import { MAX_PAGE_SIZE } from '@tollgate/contracts/envelope';
import { hasPostgres } from '@tollgate/testing';
import { KeyHashBackfill } from '../src/channel/key-hash-backfill.js';
import { ChannelTestBed, dataOf, KEY } from './channel-test-bed.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('lists, searches and tags of channels', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
    await testBed.create({ name: 'plain', priority: 5 });
    await testBed.create({ name: 'pro_1%', priority: 9, models: 'gpt-4o,claude', group: 'vip,default', tag: 'east' });
    await testBed.create({
      name: 'east two',
      models: 'claude',
      tag: 'east',
      priority: 1,
      base_url: 'http://127.0.0.1:8',
    });
    await testBed.create({ name: 'west', models: 'deepseek-chat', group: 'vip', tag: 'west', priority: 7 });
  }, 60_000);
  afterAll(() => testBed.close());

  const names = async (
    path: string,
    query: Record<string, string | number>,
  ): Promise<{ names: string[]; total: string }> => {
    const reply = await testBed.call<ChannelReply[]>('GET', path, undefined, query);
    return { names: dataOf(reply.body).map(({ name }) => name), total: String(reply.headers['x-total-count']) };
  };

  it.each([
    ['by priority', {}, ['pro_1%', 'west', 'plain', 'east two'], '4'],
    ['by id', { id_sort: 'true' }, ['west', 'east two', 'pro_1%', 'plain'], '4'],
    ['the first page', { p: 0, page_size: 3 }, ['pro_1%', 'west', 'plain'], '4'],
    ['the second page', { p: 1, page_size: 3 }, ['east two'], '4'],
    ['a page beyond the end', { p: 9, page_size: 3 }, [], '4'],
    ['an absurd page', { p: -3, page_size: 'x' }, ['pro_1%', 'west', 'plain', 'east two'], '4'],
    ['by tag, one tag a page', { tag_mode: 'true', page_size: 1 }, ['pro_1%', 'east two'], '2'],
    ['the second tag', { tag_mode: 'true', page_size: 1, p: 1 }, ['west'], '2'],
  ])('lists %s', async (_, query, expected, total) => {
    expect(await names('/api/channel', query)).toEqual({ names: expected, total });
  });

  describe('a key', () => {
    const found = async (keyword: string, more = {}): Promise<string[]> =>
      (await names('/api/channel/search', { keyword, ...more })).names;
    let ids: number[];
    beforeAll(async () => {
      ids = await testBed.create({ name: 'keyed', key: 'sk-find-me-1\nsk-find-me-2', tag: 'keys' });
    });
    afterAll(() => testBed.call('POST', '/api/channel/batch', { ids }));

    it.each(['/api/channel', '/api/channel/search'])(
      'is found by the whole text in %s, without blanks around it',
      async (path) => {
        expect((await names(path, { keyword: ' sk-find-me-1 ' })).names).toEqual(['keyed']);
      },
    );

    it.each(['sk-find-me', 'sk-find-me-', 'sk-find-me-11', 'SK-FIND-ME-1', 'k-find-me-1'])(
      'is not found by %s',
      async (part) => {
        expect(await found(part)).toEqual([]);
      },
    );

    it('finds its channel by tag too, and is not in the replies', async () => {
      const reply = await testBed.call('GET', '/api/channel', undefined, { keyword: 'sk-find-me-2', tag_mode: 'true' });
      expect(dataOf(reply.body)).toHaveLength(2);
      expect(reply.text).not.toMatch(/sk-find-me|hash/i);
    });

    it('is found by its new text after a change, each of several lines separately', async () => {
      const [first] = ids as [number, number];
      const several = { id: first, key: 'sk-line-a\n sk-line-b ', multi_key_mode: 'random' };
      expect((await testBed.call('PUT', '/api/channel', several)).body).toMatchObject({ success: true });
      expect(await found('sk-find-me-1')).toEqual([]);
      expect([await found('sk-line-a'), await found('sk-line-b')]).toEqual([['keyed'], ['keyed']]);
      const one = { id: first, key: 'sk-find-me-1', multi_key_mode: '' };
      expect((await testBed.call('PUT', '/api/channel', one)).body).toMatchObject({ success: true });
      expect(await found('sk-line-a')).toEqual([]);
    });

    it('is found after a start when an older release saved it, unless it cannot be decrypted', async () => {
      const unreadable = await testBed.createOne({ name: 'unreadable', key: 'sk-unreadable' });
      await testBed.query(`update "channel" set "key_hashes" = '{}' returning 1`);
      await testBed.query(`update "channel" set "sealed_key" = 'v1.a.b.c' where "id" = ? returning 1`, [unreadable]);
      expect(await found('sk-find-me-2')).toEqual([]);
      await testBed.inSession(() => testBed.get(KeyHashBackfill).run());
      expect(await found('sk-find-me-2')).toEqual(['keyed']);
      expect(await found('sk-unreadable')).toEqual([]);
      await testBed.call('DELETE', `/api/channel/${unreadable}`);
    });
  });

  it.each([
    ['a part of the name', { keyword: 'EAST TW' }, ['east two']],
    ['a percent sign literally', { keyword: '%' }, ['pro_1%']],
    ['an underscore literally', { keyword: 'o_1' }, ['pro_1%']],
    ['an address', { keyword: '127.0.0.1' }, ['east two']],
    ['a tag', { keyword: 'wes' }, ['west']],
    ['no part of a key', { keyword: KEY.slice(0, -1) }, []],
    ['a group as a whole', { group: 'vip' }, ['pro_1%', 'west']],
    ['no part of a group', { group: 'vi' }, []],
    ['a part of a model', { model: 'CLAUD' }, ['pro_1%', 'east two']],
    ['everything together', { keyword: 'east', group: 'default', model: 'gpt' }, ['pro_1%']],
    ['a status', { status: 2 }, []],
    ['a number too long for an id', { keyword: '99999999999' }, []],
    ['all channels of a tag with a match', { model: 'gpt', tag_mode: 'true' }, ['pro_1%', 'east two']],
  ])('finds %s', async (_, query, expected) => {
    expect((await names('/api/channel/search', query)).names).toEqual(expected);
  });

  it('finds an id', async () => {
    const id = await testBed.createOne({ name: 'by id', models: 'only-here', priority: -999 });
    expect((await names('/api/channel/search', { keyword: String(id), model: 'only-here' })).names).toEqual(['by id']);
    await testBed.call('DELETE', `/api/channel/${id}`);
  });

  it('returns all matches when a search names neither page nor size', async () => {
    await testBed.create({
      name: 'many',
      key: Array.from({ length: MAX_PAGE_SIZE + 1 }, (_, index) => `k${index}`).join('\n'),
      models: 'many-model',
    });
    const found = async (query = {}): Promise<number> =>
      (await names('/api/channel/search', { keyword: 'many', ...query })).names.length;
    expect(await found()).toBe(MAX_PAGE_SIZE + 1);
    expect(await found({ page_size: 4 })).toBe(4);
    expect(await found({ page_size: 1000 })).toBe(MAX_PAGE_SIZE);
    expect(await found({ p: 0 })).toBe(10);
  });

  it.each([
    ['a visitor', undefined, 401],
    ['a user', { id: 3, role: 1 as const }, 200],
  ])('refuses the list to %s', async (_, as, status) => {
    const reply = await testBed.harness.request('GET', '/api/channel', { as });
    expect(reply.status).toBe(status);
    expect(reply.body.success).toBe(false);
  });

  describe('tags', () => {
    it('are set for many channels at once, counting those that exist', async () => {
      const ids = await testBed.create({ key: 'a\nb', name: 'tagged' });
      expect(
        dataOf(
          (await testBed.call('POST', '/api/channel/batch/tag', { ids: [...ids.map(String), 999_999], tag: 'north' }))
            .body,
        ),
      ).toBe(2);
      expect((await testBed.find(Number(ids[0]))).tag).toBe('north');
      await testBed.call('POST', '/api/channel/batch/tag', { ids, tag: null });
      expect((await testBed.find(Number(ids[0]))).tag).toBe('');
    });

    it.each([
      ['/api/channel/batch/tag', { ids: [], tag: 'x' }, '参数错误'],
      ['/api/channel/batch/tag', { ids: [true], tag: 'x' }, '参数错误'],
      ['/api/channel/batch/tag', { ids: ['1.5'], tag: 'x' }, '参数错误'],
      ['/api/channel/batch/tag', { ids: [1], tag: ' ' }, '标签不能为空！'],
      ['/api/channel/batch/tag', { ids: [1] }, '标签不能为空！'],
      ['/api/channel/tag/enabled', { tag: '' }, 'tag不能为空'],
      ['/api/channel/tag/disabled', {}, 'tag不能为空'],
      ['/api/channel/tag/disabled', { tag: 'nowhere' }, '标签不存在'],
    ])('refuse a POST %s of %p', async (path, body, message) => {
      expect((await testBed.call('POST', path, body)).body).toMatchObject({ success: false, message });
    });

    it.each([
      [{ new_tag: 'x' }, 'tag不能为空'],
      [{ tag: 'east' }, '没有任何修改！'],
      [{ tag: 'east', new_tag: ' east ', models: '', groups: ' , ' }, '没有任何修改！'],
      [{ tag: 'east', model_mapping: 'x' }, '模型映射必须是合法的 JSON 格式！'],
      [{ tag: 'east', priority: 1.5 }, '优先级必须是整数！'],
      [{ tag: 'east', weight: 1_000_000_001 }, '权重不能大于 1000000000'],
      [{ tag: 'east', weight: -1 }, '权重必须是非负整数！'],
      [{ tag: 'nowhere', weight: 1 }, '标签不存在'],
    ])('refuse an edit by %p', async (body, message) => {
      expect((await testBed.call('PUT', '/api/channel/tag', body)).body).toMatchObject({ success: false, message });
    });

    it('leave in the audit log what each channel had before', async () => {
      const [one = 0, other = 0] = (await testBed.create({ key: 'a\nb', name: 'audited', models: 'old' })).map(Number);
      await testBed.create({ name: 'tagged already', tag: 'logged' });
      await testBed.call('PUT', '/api/channel', { id: other, tag: 'former', priority: 5 });
      await testBed.call('POST', '/api/channel/batch/tag', { ids: [one, other], tag: 'logged' });
      await testBed.call('PUT', '/api/channel/tag', { tag: 'logged', models: 'new', priority: 5 });
      await testBed.call('POST', '/api/channel/tag/disabled', { tag: 'logged' });
      await testBed.call('POST', '/api/channel/tag/enabled', { tag: 'logged' });
      const entries = await testBed.events<{ action: string; subject: string; before?: unknown }>('admin-action');
      const before = entries.filter(({ subject }) => subject === 'tag:logged').map((entry) => entry.before);
      const third = other + 1;
      const enabled = [one, other, third].map((id) => ({ id, status: ChannelStatus.enabled }));
      const disabled = [one, other, third].map((id) => ({ id, status: ChannelStatus.disabled }));
      expect(before).toEqual([
        {
          channels: [
            { id: one, tag: '' },
            { id: other, tag: 'former' },
          ],
          count: 2,
        },
        {
          channels: [
            { id: one, models: ['old'], priority: 0 },
            { id: other, models: ['old'] },
            { id: third, models: expect.any(Array), priority: 0 },
          ],
          count: 3,
        },
        { channels: enabled, count: 3 },
        { channels: disabled, count: 3 },
      ]);
    });

    it('are edited in every channel at once, and removed from all', async () => {
      const [first, second] = await testBed.create({
        key: 'a\nb',
        tag: 'edited',
        models: 'old',
        group: 'east',
        priority: 2,
      });
      const edit = {
        tag: 'edited',
        new_tag: 'renamed',
        models: 'new,newer',
        groups: ' , ',
        weight: 4,
        model_mapping: '{"new":"old"}',
      };
      expect((await testBed.call('PUT', '/api/channel/tag', edit)).body).toMatchObject({ success: true });
      for (const id of [first, second]) {
        expect(await testBed.find(Number(id))).toMatchObject({
          tag: 'renamed',
          models: 'new,newer',
          group: 'east',
          weight: 4,
          priority: 2,
          model_mapping: '{"new":"old"}',
        });
      }
      expect((await testBed.abilities(Number(second))).map(({ model }) => model)).toEqual(['new', 'newer']);
      await testBed.call('PUT', '/api/channel/tag', { tag: 'renamed', new_tag: '' });
      expect((await testBed.find(Number(first))).tag).toBe('');
    });

    it('enable and disable every channel, automatically disabled ones too', async () => {
      const [first, second] = await testBed.create({ key: 'a\nb', tag: 'switched' });
      await testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [second]);
      await testBed.call('POST', '/api/channel/tag/disabled', { tag: 'switched' });
      expect([(await testBed.find(Number(first))).status, (await testBed.find(Number(second))).status]).toEqual([2, 2]);
      await testBed.call('POST', '/api/channel/tag/enabled', { tag: 'switched' });
      expect([(await testBed.find(Number(first))).status, (await testBed.find(Number(second))).status]).toEqual([1, 1]);
      expect(await testBed.eventsOf('channel-enabled', Number(first))).toHaveLength(1);
    });

    // A flush compares every loaded row, so one for each event made 1000 channels take minutes.
    it('are switched without a flush for each channel', async () => {
      const ids = await testBed.create({ key: Array.from({ length: 30 }, (_, n) => `k${n}`).join('\n'), tag: 'many' });
      const flush = jest.spyOn(EntityManager.prototype, 'flush');
      try {
        await testBed.call('POST', '/api/channel/tag/disabled', { tag: 'many' });
        expect(flush.mock.calls.length).toBeLessThan(15);
      } finally {
        flush.mockRestore();
      }
      for (const id of [ids[0], ids[29]]) {
        expect(await testBed.eventsOf('channel-changed', Number(id))).toHaveLength(2);
        expect(await testBed.eventsOf('channel-disabled', Number(id))).toHaveLength(1);
      }
    });
  });

  it('counts channels by status in one call', async () => {
    const count = async () => dataOf((await testBed.call<ChannelCounts>('GET', '/api/channel/count')).body);
    const before = await count();
    const [, second, third] = await testBed.create({ key: 'a\nb\nc' });
    await testBed.query('update "channel" set "status" = 2 where "id" = ? returning 1', [second]);
    await testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [third]);
    expect(await count()).toEqual({
      all: before.all + 3,
      enabled: before.enabled + 1,
      disabled: before.disabled + 1,
      auto_disabled: before.auto_disabled + 1,
    });
  });

  describe('models', () => {
    it('of the catalogue are listed as objects with an owner', async () => {
      const models = dataOf((await testBed.call<BuiltInModel[]>('GET', '/api/channel/models')).body);
      expect(models.find(({ id }) => id === 'gpt-4o')).toEqual({
        id: 'gpt-4o',
        object: 'model',
        created: 1_626_777_600,
        owned_by: 'openai',
      });
    });

    it('are listed by channel type', async () => {
      const models = dataOf(
        (await testBed.harness.request<ModelsByType>('GET', '/api/models', { as: { id: 3 } })).body,
      );
      expect(models['43']).toEqual(['deepseek-chat', 'deepseek-reasoner']);
    });

    it('of a user are those of the own group and the usable groups', async () => {
      await testBed.create({ models: 'staff-model', group: 'staff' });
      await testBed.create({ models: 'secret-model', group: 'hidden' });
      const models = dataOf(
        (await testBed.harness.request<string[]>('GET', '/api/user/models', { as: { id: 3, group: 'staff' } })).body,
      );
      expect(models).toEqual(expect.arrayContaining(['staff-model', 'deepseek-chat', 'claude']));
      expect(models).not.toContain('secret-model');
      const enabled = dataOf((await testBed.call<string[]>('GET', '/api/channel/models_enabled')).body);
      expect(enabled).toEqual(expect.arrayContaining(['staff-model', 'secret-model', 'claude']));
    });
  });
});
