import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminAction, channelDisabled, noteRefusedCalls, pricePublished, Role } from '@tollgate/contracts';
import type { AuditEntry, RefusedCalls } from '@tollgate/contracts/api/audit';
import { v7 } from 'uuid';
import { type TestBed, startLogging } from './test-bed.js';

describe('audit log and refused calls', () => {
  let testBed: TestBed;
  const admin = { id: 1, role: Role.admin } as const;

  beforeAll(async () => {
    testBed = await startLogging();
  }, 120_000);
  afterAll(() => testBed?.close());

  const list = async <T>(path: string): Promise<{ items: T[]; total: number }> =>
    ((await testBed.request('GET', path, { as: admin })).body as { data: { items: T[]; total: number } }).data;

  describe('of changes', () => {
    const audit = (query: string) => list<AuditEntry>(`/api/audit?${query}`);

    beforeAll(async () => {
      testBed.neighbours.names.users.set(1, 'root');
      const change = (subject: string, before: object, after: object, actorId = 1) =>
        testBed.newEvent(adminAction, {
          actorId,
          action: subject.startsWith('option') ? 'option-update' : 'channel-updated',
          subject,
          before: before as Record<string, unknown>,
          after: after as Record<string, unknown>,
        });
      await testBed.publish(
        change('option:RetryTimes', { value: '0', revision: 0 }, { value: '3', revision: 5 }),
        change('option:Retry_imes', {}, {}, 2),
        change('channel:7', { weight: 1 }, { weight: 2 }),
        testBed.newEvent(channelDisabled, { channelId: 7, name: 'c', automatic: true, reason: 'bad key' }),
      );
    });

    it('list actor, action, before and after, newest first', async () => {
      const { items, total } = await audit('subject=option:RetryTimes');
      expect(total).toBe(1);
      expect(items).toEqual([
        {
          id: expect.any(Number),
          event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          created_at: expect.any(Number),
          actor_id: 1,
          actor_name: 'root',
          action: 'option-update',
          subject: 'option:RetryTimes',
          user_id: 0,
          text: '',
          before: { value: '0', revision: 0 },
          after: { value: '3', revision: 5 },
        },
      ]);
    });

    it('show which price version came into force, and when', async () => {
      const times = { publishedAt: '2026-11-26T10:00:00.123456Z', mintedAt: '2026-11-20T10:00:00.000000Z' };
      await testBed.publish(
        testBed.newEvent(pricePublished, { priceVersion: 'v7', revision: 7, ...times }),
        // An event of an older release, without details.
        testBed.newEvent(pricePublished, { priceVersion: 'v6', revision: 6 }),
      );
      const { items } = await audit('action=price-publish');
      const row = { actor_id: 0, actor_name: '', user_id: 0, before: null };
      expect(items).toHaveLength(2);
      expect(items).toContainEqual(
        expect.objectContaining({ ...row, subject: 'price:7', after: { priceVersion: 'v7', ...times } }),
      );
      expect(items).toContainEqual(
        expect.objectContaining({ ...row, subject: 'price:6', after: { priceVersion: 'v6' } }),
      );
    });

    it('are found by actor, kind, subject and time, with literal prefixes', async () => {
      expect((await audit('actor_id=2')).items.map(({ subject }) => subject)).toEqual(['option:Retry_imes']);
      expect((await audit('action=channel')).items.map(({ action }) => action).sort()).toEqual([
        'channel-disabled',
        'channel-updated',
      ]);
      expect((await audit('subject=option:Retry_')).total).toBe(1);
      expect((await audit('subject=channel:7&action=channel-disabled')).items[0]).toMatchObject({
        actor_id: 0,
        actor_name: '',
        after: { name: 'c', reason: 'bad key' },
      });
      const now = Math.floor(Date.now() / 1000);
      expect((await audit(`start_timestamp=${now + 3600}`)).total).toBe(0);
      expect(
        (await audit(`start_timestamp=${now - 3600}&end_timestamp=${now + 3600}&page_size=2&p=2`)).items,
      ).toHaveLength(2);
    });

    it('are counted and paged up to ten thousand entries', async () => {
      await testBed.em().execute(
        `insert into "audit_entry" ("event_id", "actor_id", "action", "subject", "text", "happened_at")
         select gen_random_uuid(), 3, 'user-update', 'user:' || i, '', now() - i * interval '1 second'
         from generate_series(1, 10050) as i`,
      );
      const { items, total } = await audit('actor_id=3&page_size=100&p=100');
      expect([items.length, total]).toEqual([100, 10_000]);
      expect(items[0]?.subject).toBe('user:9901');
      expect(await audit('actor_id=3&page_size=100&p=101')).toMatchObject({ items: [], total: 10_000 });
      expect((await audit('subject=user:10050')).items).toHaveLength(1);
    });
  });

  describe('of refused calls', () => {
    const refused = (query: string) => list<RefusedCalls>(`/api/log/refusal?${query}`);
    const minute = Math.floor(Date.now() / 60_000) * 60;
    const [one, other] = [v7(), v7()];
    const row = (change: object = {}) => ({
      ...{ minute, reason: 'model_not_allowed', status: 403, message: 'no', tokenId: 9, userId: 3, model: 'm' },
      ...{ count: 2, requestIds: [one] },
      ...change,
    });

    it('are summed over several relays, counting each report once', async () => {
      const batch = {
        batchId: v7(),
        rows: [row(), row({ reason: 'invalid_token', tokenId: 0, userId: 0, model: '' })],
      };
      await testBed.internal(noteRefusedCalls, batch);
      await testBed.internal(noteRefusedCalls, batch);
      await testBed.internal(noteRefusedCalls, { batchId: v7(), rows: [row({ count: 3, requestIds: [other] })] });
      const { items, total } = await refused('reason=model_not_allowed');
      expect(total).toBe(1);
      expect(items).toMatchObject([
        { minute, status: 403, token_id: 9, user_id: 3, model: 'm', count: 5, message: 'no' },
      ]);
      expect(items[0]?.request_ids.sort()).toEqual([one, other].sort());
      expect((await refused('')).total).toBe(2);
      expect((await refused('token_id=9')).total).toBe(1);
    });

    it.each(['/api/audit', '/api/log/refusal'])(
      'refuse an invalid time, and accept no absurd id at %s',
      async (path) => {
        for (const name of ['start_timestamp', 'end_timestamp']) {
          const { body } = await testBed.request('GET', `${path}?${name}=9000000000000000`, { as: admin });
          expect(body).toMatchObject({ success: false, message: '无效的参数' });
        }
        for (const name of ['actor_id', 'token_id', 'user_id']) {
          const { body } = await testBed.request('GET', `${path}?${name}=9000000000000000`, { as: admin });
          expect(body).toMatchObject({ success: true });
        }
      },
    );

    it('are found by the minute in a request id, and not by other texts', async () => {
      expect((await refused(`request_id=${v7({ msecs: minute * 1000 + 59_000 })}`)).total).toBe(2);
      expect((await refused(`request_id=${v7({ msecs: minute * 1000 - 1 })}`)).total).toBe(0);
      expect((await refused('request_id=nothing')).total).toBe(0);
    });

    it('are deleted after thirty days', async () => {
      await testBed.internal(noteRefusedCalls, {
        batchId: v7(),
        rows: [row({ minute: minute - 31 * 86_400, reason: 'old' })],
      });
      await testBed.internal(noteRefusedCalls, { batchId: v7(), rows: [row({ reason: 'new' })] });
      expect((await refused('reason=old')).total).toBe(0);
      expect((await refused('reason=new')).total).toBe(1);
    });
  });
});
