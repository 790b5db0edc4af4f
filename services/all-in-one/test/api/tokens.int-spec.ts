import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { expectCleanRefusal, expectFields, expectRefusal, expectSuccess, NO_IDS, plain, spellings } from './support.js';

const FIELDS = {
  id: 'int',
  user_id: 'int',
  key: 'string',
  status: 'int',
  name: 'string',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  used_quota: 'int',
  unlimited_quota: 'boolean',
  model_limits_enabled: 'boolean',
  model_limits: 'string',
  allow_ips: 'string?',
  group: 'string',
  DeletedAt: 'string?',
} as const;

interface Token {
  id: number;
  key: string;
  name: string;
  status: number;
  remain_quota: number;
  [field: string]: unknown;
}

const FORM = {
  name: '我的API',
  remain_quota: 500_000,
  expired_time: -1,
  unlimited_quota: true,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: 'default',
};
const NOT_FOUND = '令牌不存在';

describe('tokens', () => {
  let testBed: TestBed;
  let owner: Person;
  let stranger: Person;
  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    [owner, stranger] = await Promise.all([testBed.user('owner', 1000), testBed.user('stranger', 1000)]);
  }, 120_000);
  afterAll(() => testBed?.close());

  const list = (query = 'p=0&size=100', person = owner): Promise<Token[]> => person.data('GET', `/api/token/?${query}`);
  const create = (form: object, person = owner): Promise<ApiReply> => person.call('POST', '/api/token/', form);
  const update = (form: object, person = owner): Promise<ApiReply<Token>> => person.call('PUT', '/api/token/', form);
  const status = (id: unknown, to: unknown, person = owner): Promise<ApiReply<Token>> =>
    person.call('PUT', '/api/token/?status_only=true', { id, status: to });
  const read = (id: number): Promise<Token> => owner.data('GET', `/api/token/${id}`);

  async function made(form: object = {}, person = owner): Promise<Token> {
    const name = `t${Math.random().toString(36).slice(2, 12)}`;
    expectSuccess(await create({ ...FORM, name, ...form }, person));
    const token = (await list(undefined, person)).find(
      (row) => row.name === ((form as { name?: string }).name ?? name),
    );
    if (!token) throw new Error('not in the list');
    return token;
  }

  describe('POST /api/token/', () => {
    it.each(spellings('/api/token/'))('%s makes a token and does not show its key', async (path) => {
      const reply = await owner.call('POST', path, FORM);
      expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
      const [newest] = await list();
      expectFields(newest, FIELDS);
      expect(newest).toMatchObject({ ...FORM, user_id: owner.id, status: 1, used_quota: 0, accessed_time: 0 });
      expect(newest?.key).toMatch(/^[0-9A-Za-z]{48}$/);
      expect(Math.abs(Number(newest?.['created_time']) - Date.now() / 1000)).toBeLessThan(60);
    });

    it('has the documented defaults', async () => {
      expectSuccess(await create({ name: 'bare' }));
      expect((await list())[0]).toMatchObject({
        name: 'bare',
        status: 4,
        expired_time: -1,
        remain_quota: 0,
        unlimited_quota: false,
        model_limits_enabled: false,
        model_limits: '',
        group: '',
      });
    });

    it('keeps every field as sent', async () => {
      const form = {
        name: '名称 %_\\ 😀',
        remain_quota: 123,
        expired_time: 4_102_444_800,
        unlimited_quota: false,
        model_limits_enabled: true,
        model_limits: 'gpt-4o,模型',
        allow_ips: '10.0.0.1\n192.168.0.0/16\n2001:db8::/32',
        group: 'vip',
      };
      expect(await made(form)).toMatchObject(form);
    });

    it('takes null for an empty text', async () => {
      expect(await made({ allow_ips: null, model_limits: null, group: null })).toMatchObject({
        model_limits: '',
        group: '',
      });
    });

    it('gives every token a key of its own', async () => {
      for (let index = 0; index < 5; index += 1) await made({ name: '同名' });
      const keys = (await list()).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    });

    it.each([
      ['no name', { name: undefined }, '令牌名称不能为空'],
      ['an empty name', { name: '' }, '令牌名称不能为空'],
      ['a blank name', { name: '  ' }, '令牌名称不能为空'],
      ['a name of 31 bytes', { name: 'x'.repeat(31) }, '令牌名称过长'],
      ['a name of 11 Han', { name: '名'.repeat(11) }, '令牌名称过长'],
      ['a name that is a number', { name: 5 }, '令牌名称不能为空'],
      ['a name with a NUL', { name: 'a\0b' }, '无效的参数'],
      ['a time that is a text', { expired_time: 'tomorrow' }, '过期时间格式错误！'],
      ['a time that is a fraction', { expired_time: 1.5 }, '过期时间格式错误！'],
      ['a time of 0', { expired_time: 0 }, '过期时间格式错误！'],
      ['a time of −2', { expired_time: -2 }, '过期时间格式错误！'],
      ['a time beyond all', { expired_time: 1e300 }, '过期时间格式错误！'],
      ['a negative quota', { remain_quota: -1 }, '额度值不能为负数'],
      ['a quota that is a text', { remain_quota: '5' }, '无效的参数'],
      ['a quota that is a fraction', { remain_quota: 0.5 }, '无效的参数'],
      ['a quota beyond the safe integers', { remain_quota: 2 ** 53 + 2 }, '无效的参数'],
      ['a flag that is a text', { unlimited_quota: 'true' }, '无效的参数'],
      ['a flag that is a number', { model_limits_enabled: 1 }, '无效的参数'],
      ['models in a list', { model_limits: ['gpt-4o'] }, '无效的参数'],
      ['an address that is none', { allow_ips: '10.0.0.1\nlocalhost' }, 'IP 白名单格式错误：localhost'],
      ['a range that is none', { allow_ips: '10.0.0.0/33' }, 'IP 白名单格式错误：10.0.0.0/33'],
      ['an address with too many parts', { allow_ips: '1.2.3.4.5' }, 'IP 白名单格式错误：1.2.3.4.5'],
      ['a group that is not theirs', { group: 'svip' }, '令牌分组 svip 已被禁用'],
      ['a group that does not exist', { group: 'nowhere' }, '令牌分组 nowhere 已被禁用'],
      ['a group like a property', { group: 'constructor' }, '令牌分组 constructor 已被禁用'],
      ['a group that is a number', { group: 5 }, '无效的参数'],
    ])('refuses %s and makes nothing', async (_, change, message) => {
      const before = await list('p=0&size=1');
      expectRefusal(await create({ ...FORM, ...change }), message);
      expect(await list('p=0&size=1')).toEqual(before);
    });

    it('refuses a group that lost its ratio', async () => {
      await testBed.root.data('PUT', '/api/option/', {
        key: 'UserUsableGroups',
        value: '{"default":"默认分组","vip":"vip分组","old":"旧分组"}',
      });
      expectRefusal(await create({ ...FORM, group: 'old' }), '分组 old 已被弃用');
    });

    it('asks for another group when one that lost its ratio is saved again', async () => {
      const setRatios = (value: object) =>
        testBed.root.data('PUT', '/api/option/', { key: 'GroupRatio', value: JSON.stringify(value) });
      await setRatios({ default: 1, vip: 1, svip: 1, old: 1 });
      const token = await made({ group: 'old' });
      await setRatios({ default: 1, vip: 1, svip: 1 });
      expectRefusal(await update({ ...token, name: 'renamed' }), '分组 old 已被弃用');
      expect(await read(token.id)).toEqual(token);
      expectSuccess(await update({ id: token.id, name: 'renamed' }));
      expectSuccess(await update({ ...token, group: 'vip' }));
    });

    it('keeps a budget beyond what 32 bits hold', async () => {
      expect(await made({ remain_quota: 9_000_000_000_000 })).toMatchObject({ remain_quota: 9_000_000_000_000 });
    });
  });

  describe('GET /api/token/', () => {
    let many: Person;
    beforeAll(async () => {
      many = await testBed.user('many', 0);
      for (let index = 0; index < 13; index += 1) await create({ ...FORM, name: `n${index}` }, many);
    });

    it.each(spellings('/api/token/?p=0&size=5'))('GET %s is a bare list, newest first', async (path) => {
      const reply = await many.call<Token[]>('GET', path);
      expectSuccess(reply);
      expect(reply.body.data.map(({ name }) => name)).toEqual(['n12', 'n11', 'n10', 'n9', 'n8']);
      for (const token of reply.body.data) expectFields(token, FIELDS);
    });

    it.each([
      ['', 0, 10],
      ['p=0', 0, 10],
      ['p=1&size=5', 5, 5],
      ['p=2&size=5', 10, 3],
      ['p=3&size=5', 13, 0],
      ['p=-1&size=5', 0, 5],
      ['p=abc&size=5', 0, 5],
      ['size=0', 0, 10],
      ['size=-1', 0, 10],
      ['size=1000', 0, 13],
      ['size=NaN', 0, 10],
      ['p=99999999999999999999&size=5', 0, 5],
    ])('%s: from %i on, %i of them', async (query, from, length) => {
      const all = await list('p=0&size=100', many);
      expect(await list(query, many)).toEqual(all.slice(from, from + length));
    });

    it('shows nobody else’s, not even to the super administrator', async () => {
      expect((await list('p=0&size=100', stranger)).some(({ user_id: id }) => id !== stranger.id)).toBe(false);
      expect(await list('p=0&size=100', testBed.root)).toEqual([]);
    });
  });

  describe('GET /api/token/search', () => {
    let finder: Person;
    let keys: Record<string, string>;
    beforeAll(async () => {
      finder = await testBed.user('finder', 0);
      for (const name of ['50%off', '50xoff', 'a_b', 'axb', '中文令牌', 'back\\slash'])
        await create({ ...FORM, name }, finder);
      keys = Object.fromEntries((await list(undefined, finder)).map(({ name, key }) => [name, key]));
      await made({ name: '50%off' }, stranger);
    });
    const found = async (query: Record<string, string>): Promise<string[]> =>
      (await finder.data<Token[]>('GET', `/api/token/search?${new URLSearchParams(query)}`)).map(({ name }) => name);

    it.each([
      ['50%off', ['50%off']],
      ['%', ['50%off']],
      ['a_b', ['a_b']],
      ['_', ['a_b']],
      ['中文', ['中文令牌']],
      ['\\', ['back\\slash']],
      ['OFF', ['50xoff', '50%off']],
      ['nothing', []],
      ["' or 1=1", []],
    ])('by the name %s finds %j', async (keyword, names) => {
      expect(await found({ keyword, token: '' })).toEqual(names);
    });

    it('by the key, whole or in part, with or without sk-', async () => {
      const key = keys['a_b'] ?? '';
      expect(await found({ keyword: '', token: key })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: `sk-${key}` })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: key.slice(5, 25) })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: `-sk${key}-s` })).toEqual(['a_b']);
      expect((await found({ keyword: '', token: '-ks-' })).length).toBe(6);
      expect(await found({ keyword: 'axb', token: key })).toEqual([]);
      expect(await found({ keyword: '', token: '%' })).toEqual([]);
    });

    it('answers both spellings, and everything to an empty question', async () => {
      for (const path of spellings('/api/token/search?keyword=&token=')) {
        expect((await finder.data<Token[]>('GET', path)).length).toBe(6);
      }
    });

    it.each(['keyword=%00', 'keyword=a&keyword=b'])('refuses %s', async (query) => {
      expectRefusal(await finder.call('GET', `/api/token/search?${query}`), '无效的参数');
    });
  });

  describe('GET and DELETE /api/token/:id', () => {
    it('show and delete the own token only', async () => {
      for (const slash of ['', '/']) {
        const token = await made();
        expect(await owner.data('GET', `/api/token/${token.id}${slash}`)).toEqual(token);
        for (const person of [stranger, testBed.root]) {
          expectRefusal(await person.call('GET', `/api/token/${token.id}${slash}`), NOT_FOUND);
          expectRefusal(await person.call('DELETE', `/api/token/${token.id}${slash}`), NOT_FOUND);
        }
        const reply = await owner.call('DELETE', `/api/token/${token.id}${slash}`);
        expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
        expectRefusal(await owner.call('GET', `/api/token/${token.id}`), NOT_FOUND);
        expectRefusal(await owner.call('DELETE', `/api/token/${token.id}`), NOT_FOUND);
        expectRefusal(await update({ id: token.id, name: 'x' }), NOT_FOUND);
        expectRefusal(await status(token.id, 1), NOT_FOUND);
        expect((await list()).some(({ id }) => id === token.id)).toBe(false);
        const models = await plain(testBed, 'GET', '/v1/models', {
          headers: { authorization: `Bearer sk-${token.key}` },
        });
        expect(models.status).toBe(401);
      }
    });

    it.each(NO_IDS)('refuse the id %s', async (id) => {
      for (const method of ['GET', 'DELETE'] as const) expectCleanRefusal(await owner.call(method, `/api/token/${id}`));
    });

    it('name an id of 0', async () => {
      expectRefusal(await owner.call('GET', '/api/token/0'), 'id 或 userId 为空！');
    });
  });

  describe('PUT /api/token/', () => {
    it.each(spellings('/api/token/'))('%s writes everything but the status and answers the token', async (path) => {
      const token = await made();
      const form = {
        id: token.id,
        name: '改名',
        remain_quota: 7,
        expired_time: 4_102_444_800,
        unlimited_quota: false,
        model_limits_enabled: true,
        model_limits: 'a,b',
        allow_ips: '127.0.0.1',
        group: 'vip',
        status: 2,
      };
      const reply = await owner.call<Token>('PUT', path, form);
      expectSuccess(reply);
      expectFields(reply.body.data, FIELDS);
      expect(reply.body.data).toEqual({ ...token, ...form, status: 1 });
      expect(await read(token.id)).toEqual(reply.body.data);
    });

    it('leaves what is not sent', async () => {
      const token = await made({ model_limits_enabled: true, model_limits: 'a' });
      expectSuccess(await update({ id: token.id, name: 'only' }));
      expect(await read(token.id)).toEqual({ ...token, name: 'only' });
    });

    it('cannot give it to somebody else, nor change its key or spending', async () => {
      const token = await made();
      expectSuccess(
        await update({ ...token, user_id: 1, key: 'x'.repeat(48), used_quota: 5, created_time: 1, accessed_time: 1 }),
      );
      expect(await read(token.id)).toEqual(token);
    });

    it('is closed to others', async () => {
      const token = await made();
      for (const person of [stranger, testBed.root]) {
        expectRefusal(await update({ id: token.id, name: 'stolen' }, person), NOT_FOUND);
        expectRefusal(await status(token.id, 2, person), NOT_FOUND);
      }
      expect(await read(token.id)).toEqual(token);
    });

    it.each([
      ['no id', { id: undefined }, 'id 或 userId 为空！'],
      ['an id of 0', { id: 0 }, 'id 或 userId 为空！'],
      ['an id that is a word', { id: 'abc' }, '无效的参数'],
      ['an id that is true', { id: true }, '无效的参数'],
      ['an unknown id', { id: 987_654_321 }, NOT_FOUND],
      ['an id beyond all', { id: 99_999_999_999 }, NOT_FOUND],
      ['a long name', { name: 'x'.repeat(31) }, '令牌名称过长'],
      ['an empty name', { name: '' }, '令牌名称不能为空'],
      ['a negative quota', { remain_quota: -5 }, '额度值不能为负数'],
      ['a broken time', { expired_time: '2030-01-01' }, '过期时间格式错误！'],
      ['a broken address', { allow_ips: 'nowhere' }, 'IP 白名单格式错误：nowhere'],
      ['a foreign group', { group: 'svip' }, '令牌分组 svip 已被禁用'],
    ])('refuses %s', async (_, change, message) => {
      const token = await made();
      expectRefusal(await update({ ...token, ...change }), message);
      expect(await read(token.id)).toEqual(token);
    });
  });

  describe('the status', () => {
    it.each(spellings('/api/token/?status_only=true'))('PUT %s switches off and on', async (path) => {
      const token = await made();
      for (const to of [2, 2, 1]) {
        const reply = await owner.call<Token>('PUT', path, { id: token.id, status: to });
        expectSuccess(reply);
        expect(reply.body.data).toEqual({ ...token, status: to });
        const models = await plain(testBed, 'GET', '/v1/models', {
          headers: { authorization: `Bearer sk-${token.key}` },
        });
        expect([to, models.status]).toEqual([to, to === 1 ? 200 : 401]);
      }
    });

    it.each([0, 3, 4, -1, 1.5, '1', null, true, undefined, 1e20])('refuses %j', async (to) => {
      const token = await made();
      expectRefusal(await status(token.id, to), '无效的参数');
      expect((await read(token.id)).status).toBe(1);
    });

    it('says 3 once it is over, and does not come back before its time does', async () => {
      const token = await made({ expired_time: Math.floor(Date.now() / 1000) - 60 });
      expect(token.status).toBe(3);
      const message = '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期';
      expectRefusal(await status(token.id, 1), message);
      expectRefusal(await update({ id: token.id, status: 1, name: 'still over' }), message);
      expectSuccess(await update({ id: token.id, expired_time: -1 }));
      expectSuccess(await status(token.id, 1));
      expect((await read(token.id)).status).toBe(1);
    });

    it('says 4 when nothing is left, also without a budget from the start, until it gets one', async () => {
      const token = await made({ remain_quota: 0, unlimited_quota: false });
      expect(token.status).toBe(4);
      expect(await list()).toContainEqual(token);
      for (const shown of [token.key, `sk-${token.key}`, token.key.slice(5, 20)])
        expect((await owner.call<Token[]>('GET', `/api/token/search?token=${shown}`)).body.data).toEqual([token]);
      for (const begun of ['s', 'sk', 'sk-'])
        expect((await owner.call<Token[]>('GET', `/api/token/search?token=${begun}`)).body.data).toContainEqual(token);
      expectSuccess(await status(token.id, 2));
      expectRefusal(
        await status(token.id, 1),
        '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
      );
      expectSuccess(await update({ id: token.id, remain_quota: 1 }));
      expectSuccess(await status(token.id, 1));
      expect((await read(token.id)).status).toBe(1);
    });
  });
});
