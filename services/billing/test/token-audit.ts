import { describe, expect, it } from '@jest/globals';
import { openAccount } from '@tollgate/contracts';
import type { TokenWorld } from './token-world.js';

interface Told {
  actorId: number;
  action: string;
  subject: string;
  before: object;
  after: object;
}

/** What the audit log is told of tokens that their owners create, change and delete. */
export function describeTokenAudit(world: TokenWorld): void {
  describe('in the audit log', () => {
    const told = async (userId: number): Promise<Told[]> =>
      (await world.testBed.outbox<Told>('admin-action')).filter(({ actorId }) => actorId === userId);

    it('has who created, changed, disabled and deleted a token, with what changed, and never the key', async () => {
      const as = world.newCaller();
      const { id, key } = await world.create(as, { name: 'mine', remain_quota: 1000, allow_ips: '10.0.0.1' });
      await world.spend(as.id, id, 40);
      await world.put(as, { id, name: 'ours', remain_quota: 500, group: 'default', allow_ips: '10.0.0.1' });
      await world.put(as, { id, status: 2 }, { status_only: 'true' });
      await world.testBed.harness.request('DELETE', `/api/token/${id}`, { as });
      const entries = await told(as.id);
      const whole = { expired_time: -1, unlimited_quota: false, model_limits_enabled: false, model_limits: '' };
      const token = { actorId: as.id, userId: as.id, subject: `token:${id}` };
      expect(entries).toEqual([
        {
          ...{ ...token, action: 'token-create', before: {} },
          after: { ...whole, name: 'mine', status: 1, remain_quota: 1000, allow_ips: '10.0.0.1', group: '' },
        },
        {
          ...{ ...token, action: 'token-update', before: { name: 'mine', remain_quota: 960, group: '' } },
          after: { name: 'ours', remain_quota: 500, group: 'default' },
        },
        { ...token, action: 'token-status', before: { status: 1 }, after: { status: 2 } },
        {
          ...{ ...token, action: 'token-delete', after: {} },
          before: { ...whole, name: 'ours', status: 2, remain_quota: 500, allow_ips: '10.0.0.1', group: 'default' },
        },
      ]);
      const [row] = await world.testBed.sql<{ key_hash: string }>(`select "key_hash" from "token" where "id" = ?`, [
        id,
      ]);
      for (const secret of [key, row?.key_hash, `${key.slice(0, 3)}***`])
        expect(JSON.stringify(entries)).not.toContain(secret);
    });

    it('has nothing of a form that was saved as it was, of a refused change, or of a status that was set before', async () => {
      const as = world.newCaller();
      const token = await world.create(as);
      await world.put(as, { ...token });
      await world.put(as, { id: token.id, status: 1 }, { status_only: 'true' });
      await world.put(as, { id: token.id, name: 'new', group: 'svip' });
      expect((await told(as.id)).map(({ action }) => action)).toEqual(['token-create']);
    });

    it('names a long list by its digest and length, so that changes of it differ', async () => {
      const as = world.newCaller();
      const models = (letter: string): string => letter.repeat(5000);
      const { id } = await world.create(as, { model_limits: models('a') });
      await world.put(as, { id, model_limits: models('b') });
      const [, changed] = await told(as.id);
      const digest = expect.stringMatching(/^sha256:[0-9a-f]{64} \(5000\)$/);
      expect(changed).toMatchObject({ before: { model_limits: digest }, after: { model_limits: digest } });
      expect(changed?.before).not.toEqual(changed?.after);
    });

    it('has the token that a registered user begins with, once', async () => {
      const { id } = world.newCaller();
      world.testBed.neighbours.users.set(id, { username: 'ann' });
      for (let round = 0; round < 2; round += 1)
        await world.testBed.call(openAccount, { userId: id, kind: 'register', inviterId: 0 });
      expect(await told(id)).toMatchObject([
        {
          action: 'token-create',
          unattended: true,
          after: { name: 'ann的初始令牌', remain_quota: 500_000, unlimited_quota: true },
        },
      ]);
    });
  });
}
