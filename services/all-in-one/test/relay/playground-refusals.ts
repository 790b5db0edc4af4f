import { describe, expect, it } from '@jest/globals';
import { CALLER_HEADER, CALLER_PURPOSE } from '@tollgate/chassis';
import { type Person, readUntil } from '@tollgate/testing';
import { withoutRequestId } from '../support/caller-world.js';
import { quotaOf } from '../support/relay-site.js';
import { CREDIT, type RefusalWorld, textOf } from './refusal-world.js';

/** Calls of the playground, which have a session instead of a key. */
export function describePlayground(world: RefusalWorld): void {
  describe('in the playground', () => {
    const play = async (
      person: Person,
      body: Record<string, unknown>,
      headers: Record<string, string> = {},
    ): Promise<[number, string]> => {
      const messages = [{ role: 'user', content: 'three plain words' }];
      const { status, body: reply } = await person.call('POST', '/pg/chat/completions', { messages, ...body }, headers);
      const error = reply.error as { message?: string } | undefined;
      return [status, withoutRequestId(error?.message ?? reply.message)];
    };

    it('without a session, a model, or access to the group', async () => {
      expect((await play(world.testBed.visitor(), { model: 'gpt-4o' }))[0]).toBe(401);
      expect(await play(world.user, {})).toEqual([400, '请选择模型']);
      expect(await play(world.user, { model: 'gpt-4o', group: 'secret' })).toEqual([403, '无权访问该分组']);
      expect(await play(world.user, { model: 'unserved' })).toEqual([
        500,
        '当前分组 default 下对于模型 unserved 无可用渠道',
      ]);
    });

    it.each([5, true, [], {}])('with a group that is no text: %j', async (group) => {
      expect(await play(world.user, { model: 'gpt-4o', group })).toEqual([400, 'group is invalid']);
      expect(world.upstream.served()).toBe(0);
    });

    it('in a group without a ratio, as a key of that group is', async () => {
      await world.option('UserUsableGroups', '{"default":"d","vip":"v"}');
      const own = await world.testBed.token(world.user, { group: 'vip' });
      await world.option('GroupRatio', '{"default":1}');
      try {
        const played = await play(world.user, { model: 'gpt-4o', group: 'vip' });
        expect(played).toEqual([403, '分组 vip 已被弃用']);
        expect(textOf(await world.send({ key: own }))).toBe(played[1]);
        await world.testBed.root.data('PUT', '/api/user/', { id: world.user.id, group: 'vip' });
        expect(await play(world.user, { model: 'gpt-4o', group: 'vip' })).toEqual(played);
        // Without a group it is the user's own, at the plain ratio.
        for (const none of ['', null, undefined])
          expect((await play(world.user, { model: 'gpt-4o', group: none }))[0]).toBe(200);
      } finally {
        await world.testBed.root.data('PUT', '/api/user/', { id: world.user.id, group: 'default' });
        await world.option('GroupRatio', '{"default":1,"vip":1}');
      }
      expect((await play(world.user, { model: 'gpt-4o', group: 'vip' }))[0]).toBe(200);
    });

    it('with a caller header of the gateway that is too old', async () => {
      const ask = async (exp: number): Promise<number> => {
        const caller = {
          userId: world.user.id,
          username: 'refused',
          role: 1,
          group: 'default',
          via: 'session',
          requestId: 'r',
        };
        const reply = await world.testBed.host.instances.get('relay')!.inject({
          method: 'POST',
          url: '/pg/chat/completions',
          headers: { [CALLER_HEADER]: world.testBed.host.secrets.sign(CALLER_PURPOSE, { ...caller, exp }) },
          payload: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'three plain words' }] }),
        });
        return reply.statusCode;
      };
      const now = Math.floor(Date.now() / 1000);
      expect([await ask(now - 400), await ask(now - 60), await ask(now + 30)]).toEqual([401, 200, 200]);
    });

    it('but otherwise charged to the wallet alone, under a token name with the group', async () => {
      const player = await world.testBed.user('player', CREDIT);
      expect((await play(player, { model: 'gpt-4o', max_tokens: 0, temperature: 0 }))[0]).toBe(200);
      expect(world.upstream.journal()[0]?.body).not.toHaveProperty('group');
      expect(world.upstream.journal()[0]?.body).not.toHaveProperty('max_tokens');
      const left = await readUntil(
        () => quotaOf(world.testBed, player.id),
        (quota) => quota < CREDIT,
      );
      expect(left).toBe(CREDIT - Math.round((3 + 10 * 4) * 1.25));
      // The log is written by another consumer than the wallet.
      const { items } = await readUntil(
        () =>
          player.data<{ items: { token_name: string; quota: number }[] }>('GET', '/api/log/self?type=2&page_size=10'),
        (found) => found.items.length > 0,
      );
      expect(items).toMatchObject([{ token_name: 'playground-default', quota: CREDIT - left }]);
    });
  });
}
