import { describe, expect, it } from '@jest/globals';
import type { TokenWorld } from './token-world.js';

/** The calls by which a key reads its own quota and spending, as OpenAI has them. */
export function describeBillingViews(world: TokenWorld): void {
  describe('billing views of a key', () => {
    const view = (path: string, key?: string) =>
      world.testBed.harness.request('GET', path, {
        headers: key === undefined ? {} : { authorization: `Bearer sk-${key}` },
      });

    it('answer in the shapes of OpenAI, under both paths', async () => {
      const as = world.newCaller();
      const token = await world.create(as, { remain_quota: 1_500_000, expired_time: 4_102_444_800 });
      await world.spend(as.id, token.id, 500_000);
      for (const prefix of ['/v1/dashboard', '/dashboard']) {
        expect((await view(`${prefix}/billing/subscription`, token.key)).body).toEqual({
          object: 'billing_subscription',
          has_payment_method: true,
          soft_limit_usd: 3,
          hard_limit_usd: 3,
          system_hard_limit_usd: 3,
          access_until: 4_102_444_800,
        });
        expect((await view(`${prefix}/billing/usage`, token.key)).body).toEqual({ object: 'list', total_usage: 100 });
      }
    });

    it("refuse a key in the relay's order and with its texts", async () => {
      const as = world.newCaller();
      const token = await world.create(as, { remain_quota: 10 });
      const path = '/v1/dashboard/billing/usage';
      const refusal = async (key?: string) => {
        const { status, body } = await view(path, key);
        return [
          status,
          (body['error'] as { message: string } | undefined)?.message.replace(/ \(request id: .*\)$/, ''),
        ];
      };
      expect(await refusal()).toEqual([401, '未提供令牌']);
      expect(await refusal('x'.repeat(48))).toEqual([401, '无效的令牌']);
      await world.spend(as.id, token.id, 11);
      const hint = `${token.key.slice(0, 3)}***${token.key.slice(-3)}`;
      expect(await refusal(token.key)).toEqual([401, `该令牌额度已用尽 TokenStatusExhausted[sk-${hint}]`]);
      await world.put(as, { id: token.id, expired_time: 1000 });
      expect(await refusal(token.key)).toEqual([401, '该令牌已过期']);
      await world.put(as, { id: token.id, status: 2 }, { status_only: 'true' });
      expect(await refusal(token.key)).toEqual([401, '该令牌状态不可用']);
      const banned = world.newCaller();
      world.testBed.neighbours.users.set(banned.id, { status: 2 });
      expect(await refusal((await world.create(banned)).key)).toEqual([403, '用户已被封禁']);
      const chooser = world.newCaller();
      const named = `${(await world.create(chooser)).key}-1`;
      expect(await refusal(named)).toEqual([403, '普通用户不支持指定渠道']);
      world.testBed.neighbours.users.set(chooser.id, { role: 10 });
      expect(await refusal(named)).toEqual([200, undefined]);
      const away = await world.create(world.newCaller(), { allow_ips: '192.0.2.0/24' });
      expect(await refusal(away.key)).toEqual([403, '您的 IP 不在令牌允许访问的列表中']);
      const here = await world.create(world.newCaller(), { allow_ips: '127.0.0.0/8' });
      expect(await refusal(here.key)).toEqual([200, undefined]);
    });
  });
}
