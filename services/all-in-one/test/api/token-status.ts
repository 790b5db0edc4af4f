import { describe, expect, it } from '@jest/globals';
import { expectErrorReply, expectSuccess, plain, spellings } from './support.js';
import type { Token, TokenWorld } from './token-world.js';

/** The status of a token, which a call of its own changes, and which time and budget change too. */
export function describeTokenStatus(world: TokenWorld): void {
  describe('the status', () => {
    it.each(spellings('/api/token/?status_only=true'))('is disabled and enabled by PUT %s', async (path) => {
      const token = await world.made();
      for (const to of [2, 2, 1]) {
        const reply = await world.owner.call<Token>('PUT', path, { id: token.id, status: to });
        expectSuccess(reply);
        expect(reply.body.data).toEqual({ ...token, status: to });
        const models = await plain(world.testBed, 'GET', '/v1/models', {
          headers: { authorization: `Bearer sk-${token.key}` },
        });
        expect([to, models.status]).toEqual([to, to === 1 ? 200 : 401]);
      }
    });

    it.each([0, 3, 4, -1, 1.5, '1', null, true, undefined, 1e20])('refuses %j', async (to) => {
      const token = await world.made();
      expectErrorReply(await world.status(token.id, to), '无效的参数');
      expect((await world.read(token.id)).status).toBe(1);
    });

    it('is 3 after the token expired, and cannot be enabled before the expiry is changed', async () => {
      const token = await world.made({ expired_time: Math.floor(Date.now() / 1000) - 60 });
      expect(token.status).toBe(3);
      const message = '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期';
      expectErrorReply(await world.status(token.id, 1), message);
      expectErrorReply(await world.update({ id: token.id, status: 1, name: 'still over' }), message);
      expectSuccess(await world.update({ id: token.id, expired_time: -1 }));
      expectSuccess(await world.status(token.id, 1));
      expect((await world.read(token.id)).status).toBe(1);
    });

    it('is 4 when the budget is exhausted or was never set, until there is a budget', async () => {
      const token = await world.made({ remain_quota: 0, unlimited_quota: false });
      expect(token.status).toBe(4);
      expect(await world.list()).toContainEqual(token);
      for (const shown of [token.key, `sk-${token.key}`, token.key.slice(5, 20)])
        expect((await world.owner.call<Token[]>('GET', `/api/token/search?token=${shown}`)).body.data).toEqual([token]);
      for (const begun of ['s', 'sk', 'sk-'])
        expect((await world.owner.call<Token[]>('GET', `/api/token/search?token=${begun}`)).body.data).toContainEqual(
          token,
        );
      expectSuccess(await world.status(token.id, 2));
      expectErrorReply(
        await world.status(token.id, 1),
        '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
      );
      expectSuccess(await world.update({ id: token.id, remain_quota: 1 }));
      expectSuccess(await world.status(token.id, 1));
      expect((await world.read(token.id)).status).toBe(1);
    });
  });
}
