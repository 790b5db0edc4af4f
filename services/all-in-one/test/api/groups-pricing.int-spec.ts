import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { expectFields, expectErrorReply, expectSuccess, makeAdmin, plain, spellings } from './support.js';

interface Row {
  model_name: string;
  enable_groups: string[];
  [field: string]: unknown;
}

const ROW = {
  model_name: 'string',
  quota_type: 'int',
  model_ratio: 'number',
  model_price: 'number',
  completion_ratio: 'number',
  enable_groups: 'array',
  owner_by: 'string',
} as const;

describe('groups, models and prices', () => {
  let testBed: TestBed;
  let admin: Person;
  let user: Person;
  let insider: Person;
  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    [admin, user, insider] = await Promise.all([
      makeAdmin(testBed, 'admin'),
      testBed.user('user', 0),
      testBed.user('insider', 0),
    ]);
    await option('GroupRatio', '{"default":1,"vip":0.8,"svip":0.5,"hidden":2}');
    await option('UserUsableGroups', '{"default":"默认分组","vip":"vip分组","noratio":"没有倍率"}');
    await testBed.root.data('PUT', '/api/user/', { id: insider.id, group: 'svip' });
    await testBed.channel({ name: 'one', models: 'gpt-4o,dall-e-3,private-model', group: 'default' });
    await testBed.channel({ name: 'two', models: 'gpt-4o,svip-model', group: 'svip' });
    await testBed.channel({ name: 'three', models: 'hidden-model', group: 'hidden' });
    const off = await testBed.channel({ name: 'off', models: 'off-model', group: 'default' });
    await testBed.root.data('PUT', '/api/channel/', { id: off, status: 2 });
  }, 120_000);
  afterAll(() => testBed?.close());

  const option = (key: string, value: string): Promise<unknown> =>
    testBed.root.data('PUT', '/api/option/', { key, value });
  const visitor = (): Person => testBed.visitor();

  describe('groups', () => {
    it.each(spellings('/api/group/'))('GET %s returns the names to administrators', async (path) => {
      const reply = await admin.call<string[]>('GET', path);
      expectSuccess(reply);
      expect(new Set(reply.body.data)).toEqual(new Set(['default', 'vip', 'svip', 'hidden']));
      expectErrorReply(await user.call('GET', path), '无权进行此操作，权限不足');
    });

    it.each(spellings('/api/user/self/groups'))(
      'GET %s returns the groups with a ratio that the caller may use',
      async (path) => {
        expect(await user.data('GET', path)).toEqual({
          default: { ratio: 1, desc: '默认分组' },
          vip: { ratio: 0.8, desc: 'vip分组' },
        });
        expect(await insider.data('GET', path)).toEqual({
          default: { ratio: 1, desc: '默认分组' },
          vip: { ratio: 0.8, desc: 'vip分组' },
          svip: { ratio: 0.5, desc: '用户分组' },
        });
        expectErrorReply(await visitor().call('GET', path), '无权进行此操作，未登录且未提供 access token', 401);
      },
    );

    it.each(spellings('/api/user/groups'))('GET %s is open to visitors', async (path) => {
      expect(await visitor().data('GET', path)).toEqual({
        default: { ratio: 1, desc: '默认分组' },
        vip: { ratio: 0.8, desc: 'vip分组' },
      });
    });

    it('change with the options at once', async () => {
      for (const ratio of [0.7, 0.6, 0.8]) {
        await option('GroupRatio', JSON.stringify({ default: 1, vip: ratio, svip: 0.5, hidden: 2 }));
        expect(await user.data('GET', '/api/user/self/groups')).toMatchObject({ vip: { ratio } });
      }
    });
  });

  describe('models', () => {
    it.each(spellings('/api/user/models'))('GET %s returns the models of all usable groups', async (path) => {
      const reply = await user.call<string[]>('GET', path);
      expectSuccess(reply);
      expect([...reply.body.data].sort()).toEqual(['dall-e-3', 'gpt-4o', 'private-model']);
      expect([...(await insider.data<string[]>('GET', path))].sort()).toEqual([
        'dall-e-3',
        'gpt-4o',
        'private-model',
        'svip-model',
      ]);
      expect((await visitor().call('GET', path)).status).toBe(401);
    });

    it.each(spellings('/api/channel/models_enabled'))(
      'GET %s returns the models of every enabled channel',
      async (path) => {
        expect([...(await admin.data<string[]>('GET', path))].sort()).toEqual([
          'dall-e-3',
          'gpt-4o',
          'hidden-model',
          'private-model',
          'svip-model',
        ]);
      },
    );

    it.each(spellings('/api/channel/models'))('GET %s returns the catalogue', async (path) => {
      const models = await admin.data<Record<string, unknown>[]>('GET', path);
      expect(models.length).toBeGreaterThan(100);
      for (const model of models)
        expectFields(model, { id: 'string', object: 'string', created: 'int', owned_by: 'string' });
      const ids = models.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(['gpt-4o', 'claude-3-7-sonnet-20250219', 'deepseek-chat']));
    });

    it.each(spellings('/api/models'))('GET %s maps type numbers to model names', async (path) => {
      const byType = await user.data<Record<string, string[]>>('GET', path);
      expect(Object.keys(byType).every((type) => /^\d+$/.test(type))).toBe(true);
      expect(byType['1']).toContain('gpt-4o');
      expect(byType['14']).toContain('claude-3-7-sonnet-20250219');
      expect(byType['36']).toEqual(['suno_music', 'suno_lyrics']);
      expect((await visitor().call('GET', path)).status).toBe(401);
    });
  });

  describe('GET /api/pricing', () => {
    const pricing = async (person: Person): Promise<Record<string, unknown> & { data: Row[] }> =>
      (await person.call('GET', '/api/pricing')).body as never;
    const rowOf = async (model: string, person = user): Promise<Row | undefined> =>
      (await pricing(person)).data.find((row) => row.model_name === model);

    it.each(spellings('/api/pricing'))('%s returns both maps beside the data', async (path) => {
      const reply = await visitor().call('GET', path);
      expectSuccess(reply);
      expectFields(reply.body, { data: 'array', group_ratio: 'object', usable_group: 'object' });
      for (const row of reply.body.data as Row[]) expectFields(row, ROW);
    });

    it('returns every served model, with the groups that the caller may see', async () => {
      const reply = await pricing(visitor());
      const groupsOf = async (person: Person) =>
        Object.fromEntries((await pricing(person)).data.map((row) => [row.model_name, row.enable_groups]));
      const open = { 'dall-e-3': ['default'], 'gpt-4o': ['default'], 'private-model': ['default'] };
      expect(await groupsOf(visitor())).toEqual({ ...open, 'hidden-model': [], 'svip-model': [] });
      expect(await groupsOf(user)).toEqual({ ...open, 'hidden-model': [], 'svip-model': [] });
      expect(await groupsOf(insider)).toMatchObject({ 'hidden-model': [], 'svip-model': ['svip'] });
      expect(await groupsOf(admin)).toMatchObject({ 'hidden-model': ['hidden'], 'svip-model': ['svip'] });
      expect(JSON.stringify(reply)).not.toMatch(/"svip"|"hidden"/);
      expect(reply['usable_group']).toEqual({ default: '默认分组', vip: 'vip分组', noratio: '没有倍率' });
      // A group without a ratio is refused by name, so it has no price.
      expect(reply['group_ratio']).toEqual({ default: 1, vip: 0.8 });
    });

    it('adds the own group of a signed-in user', async () => {
      const reply = await pricing(insider);
      expect(reply['usable_group']).toMatchObject({ svip: '用户分组' });
      expect(reply['group_ratio']).toMatchObject({ svip: 0.5 });
      expect((await rowOf('gpt-4o', insider))?.enable_groups).toEqual(['default', 'svip']);
      expect((await rowOf('gpt-4o'))?.enable_groups).toEqual(['default']);
    });

    it('gives the own group of a user the plain ratio when it has none, because it is served at that', async () => {
      const plainly = await testBed.user('plainly', 0);
      await testBed.root.data('PUT', '/api/user/', { id: plainly.id, group: 'noratio' });
      expect((await pricing(plainly))['group_ratio']).toEqual({ default: 1, vip: 0.8, noratio: 1 });
    });

    it('returns ratios for models by usage, and the price for models by call', async () => {
      expect(await rowOf('gpt-4o')).toMatchObject({
        quota_type: 0,
        model_ratio: 1.25,
        completion_ratio: 4,
        model_price: 0,
        owner_by: '',
      });
      expect(await rowOf('dall-e-3')).toMatchObject({
        quota_type: 1,
        model_price: 0.04,
        model_ratio: 0,
        completion_ratio: 0,
      });
    });

    it('changes with prices and channels at once', async () => {
      await option('ModelPrice', '{"gpt-4o":0.25}');
      expect(await rowOf('gpt-4o')).toMatchObject({ quota_type: 1, model_price: 0.25 });
      await option('ModelPrice', '{}');
      await option('ModelRatio', '{"gpt-4o":3,"private-model":2}');
      expect(await rowOf('gpt-4o')).toMatchObject({ quota_type: 0, model_ratio: 3 });
      expect(await rowOf('private-model')).toMatchObject({ quota_type: 0, model_ratio: 2 });
      const id = await testBed.channel({ name: 'late', models: 'late-model', group: 'vip' });
      expect((await rowOf('late-model'))?.enable_groups).toEqual(['vip']);
      await testBed.root.data('DELETE', `/api/channel/${id}`);
      expect(await rowOf('late-model')).toBeUndefined();
    });

    it('is not refused for an invalid cookie', async () => {
      const reply = await plain(testBed, 'GET', '/api/pricing', {
        headers: { cookie: 'session=forged', 'new-api-user': 'x' },
      });
      expect(reply.status).toBe(200);
    });
  });
});
