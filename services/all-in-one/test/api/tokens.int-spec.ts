import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectCleanErrorReply,
  expectFields,
  expectErrorReply,
  expectSuccess,
  NO_IDS,
  plain,
  spellings,
} from './support.js';
import { describeTokenLists } from './token-lists.js';
import { describeTokenStatus } from './token-status.js';
import { FIELDS, FORM, NOT_FOUND, type Token, TokenWorld } from './token-world.js';

describe('tokens', () => {
  const world = new TokenWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());

  describe('POST /api/token/', () => {
    it.each(spellings('/api/token/'))('%s creates a token and does not return its key', async (path) => {
      const reply = await world.owner.call('POST', path, FORM);
      expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
      const [newest] = await world.list();
      expectFields(newest, FIELDS);
      expect(newest).toMatchObject({ ...FORM, user_id: world.owner.id, status: 1, used_quota: 0, accessed_time: 0 });
      expect(newest?.key).toMatch(/^[0-9A-Za-z]{48}$/);
      expect(Math.abs(Number(newest?.['created_time']) - Date.now() / 1000)).toBeLessThan(60);
    });

    it('has the documented defaults', async () => {
      expectSuccess(await world.create({ name: 'bare' }));
      expect((await world.list())[0]).toMatchObject({
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
      expect(await world.made(form)).toMatchObject(form);
    });

    it('treats null as an absent number or switch', async () => {
      const none = { expired_time: null, remain_quota: null, unlimited_quota: null, model_limits_enabled: null };
      expect(await world.made(none)).toMatchObject({
        ...{ expired_time: -1, remain_quota: 0, unlimited_quota: false, model_limits_enabled: false },
      });
    });

    it('treats null as an empty text', async () => {
      expect(await world.made({ allow_ips: null, model_limits: null, group: null })).toMatchObject({
        model_limits: '',
        group: '',
      });
    });

    it('gives every token a key of its own', async () => {
      for (let index = 0; index < 5; index += 1) await world.made({ name: '同名' });
      const keys = (await world.list()).map(({ key }) => key);
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
      const before = await world.list('p=0&size=1');
      expectErrorReply(await world.create({ ...FORM, ...change }), message);
      expect(await world.list('p=0&size=1')).toEqual(before);
    });

    it('refuses a group without a ratio', async () => {
      await world.testBed.root.data('PUT', '/api/option/', {
        key: 'UserUsableGroups',
        value: '{"default":"默认分组","vip":"vip分组","old":"旧分组"}',
      });
      expectErrorReply(await world.create({ ...FORM, group: 'old' }), '分组 old 已被弃用');
    });

    it('refuses to save a token again whose group has lost its ratio', async () => {
      const setRatios = (value: object) =>
        world.testBed.root.data('PUT', '/api/option/', { key: 'GroupRatio', value: JSON.stringify(value) });
      await setRatios({ default: 1, vip: 1, svip: 1, old: 1 });
      const token = await world.made({ group: 'old' });
      await setRatios({ default: 1, vip: 1, svip: 1 });
      expectErrorReply(await world.update({ ...token, name: 'renamed' }), '分组 old 已被弃用');
      expect(await world.read(token.id)).toEqual(token);
      expectSuccess(await world.update({ id: token.id, name: 'renamed' }));
      expectSuccess(await world.update({ ...token, group: 'vip' }));
    });

    it('stores a budget of more than 32 bits', async () => {
      expect(await world.made({ remain_quota: 9_000_000_000_000 })).toMatchObject({ remain_quota: 9_000_000_000_000 });
    });
  });

  describeTokenLists(world);

  describe('GET and DELETE /api/token/:id', () => {
    it('return and delete own tokens only', async () => {
      for (const slash of ['', '/']) {
        const token = await world.made();
        expect(await world.owner.data('GET', `/api/token/${token.id}${slash}`)).toEqual(token);
        for (const person of [world.stranger, world.testBed.root]) {
          expectErrorReply(await person.call('GET', `/api/token/${token.id}${slash}`), NOT_FOUND);
          expectErrorReply(await person.call('DELETE', `/api/token/${token.id}${slash}`), NOT_FOUND);
        }
        const reply = await world.owner.call('DELETE', `/api/token/${token.id}${slash}`);
        expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
        expectErrorReply(await world.owner.call('GET', `/api/token/${token.id}`), NOT_FOUND);
        expectErrorReply(await world.owner.call('DELETE', `/api/token/${token.id}`), NOT_FOUND);
        expectErrorReply(await world.update({ id: token.id, name: 'x' }), NOT_FOUND);
        expectErrorReply(await world.status(token.id, 1), NOT_FOUND);
        expect((await world.list()).some(({ id }) => id === token.id)).toBe(false);
        const models = await plain(world.testBed, 'GET', '/v1/models', {
          headers: { authorization: `Bearer sk-${token.key}` },
        });
        expect(models.status).toBe(401);
      }
    });

    it.each(NO_IDS)('refuse the id %s', async (id) => {
      for (const method of ['GET', 'DELETE'] as const)
        expectCleanErrorReply(await world.owner.call(method, `/api/token/${id}`));
    });

    it('refuse an id of 0 with the documented message', async () => {
      expectErrorReply(await world.owner.call('GET', '/api/token/0'), 'id 或 userId 为空！');
    });
  });

  describe('PUT /api/token/', () => {
    it.each(spellings('/api/token/'))(
      '%s changes all fields except the status, and returns the token',
      async (path) => {
        const token = await world.made();
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
        const reply = await world.owner.call<Token>('PUT', path, form);
        expectSuccess(reply);
        expectFields(reply.body.data, FIELDS);
        expect(reply.body.data).toEqual({ ...token, ...form, status: 1 });
        expect(await world.read(token.id)).toEqual(reply.body.data);
      },
    );

    it('keeps fields that are not sent', async () => {
      const token = await world.made({ model_limits_enabled: true, model_limits: 'a' });
      expectSuccess(await world.update({ id: token.id, name: 'only' }));
      expect(await world.read(token.id)).toEqual({ ...token, name: 'only' });
    });

    it('cannot change owner, key or spending of a token', async () => {
      const token = await world.made();
      expectSuccess(
        await world.update({
          ...token,
          user_id: 1,
          key: 'x'.repeat(48),
          used_quota: 5,
          created_time: 1,
          accessed_time: 1,
        }),
      );
      expect(await world.read(token.id)).toEqual(token);
    });

    it('refuses the token of another user', async () => {
      const token = await world.made();
      for (const person of [world.stranger, world.testBed.root]) {
        expectErrorReply(await world.update({ id: token.id, name: 'stolen' }, person), NOT_FOUND);
        expectErrorReply(await world.status(token.id, 2, person), NOT_FOUND);
      }
      expect(await world.read(token.id)).toEqual(token);
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
      const token = await world.made();
      expectErrorReply(await world.update({ ...token, ...change }), message);
      expect(await world.read(token.id)).toEqual(token);
    });
  });

  describeTokenStatus(world);
});
