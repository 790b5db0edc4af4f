import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyTaskUpdate } from '@tollgate/contracts';
import type { Proof } from '@tollgate/contracts/api/proof';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { deskAt, first, second } from './desk.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('the journal and its proofs', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
    for (const { id } of [first, second]) testBed.neighbours.users.set(id, { role: 10 });
  });
  afterAll(() => testBed.close());

  const { newUser, read, journal, codeOf, adjust, spend } = deskAt(() => testBed);

  describe('the journal', () => {
    it('finds rows by user, code, reference and time, newest first, with the change of the wallet', async () => {
      const userId = newUser();
      await adjust(userId, 500);
      const id = await spend(userId, 40);
      const { items, total } = await journal({ user_id: userId });
      expect(total).toBe(2);
      expect(items.map(({ code, change }) => [code, change])).toEqual([
        ['consumption', -40],
        ['admin-adjustment', 500],
      ]);
      expect(items[0]).toMatchObject({ id, model: 'gpt-4o-mini', group: 'vip', channel_id: 9, reference: id });
      expect((await journal({ user_id: userId, code: 'admin-adjustment' })).items).toHaveLength(1);
      expect((await journal({ reference: id })).items).toHaveLength(1);
      expect((await journal({ reference: items[1]?.reference ?? '' })).items[0]).toMatchObject({ amount: 500 });
      expect((await journal({ user_id: userId, end_timestamp: 1 })).total).toBe(0);
      expect((await journal({ reference: 'nothing of that name' })).total).toBe(0);
    });

    it('shows people their own rows without who acted, why, and which channel served', async () => {
      const userId = newUser();
      await adjust(userId, 500);
      await spend(userId, 1);
      const { items } = await journal({ user_id: 1 }, { id: userId }, '/api/journal/self');
      expect(items.map((row) => row.user_id)).toEqual([userId, userId]);
      expect(items.some((row) => 'actor_id' in row || 'channel_id' in row)).toBe(false);
      expect(items[1]?.reason).toBe('');
    });

    it('is written out whole as CSV', async () => {
      const userId = newUser();
      await adjust(userId, 7, { reason: '=cmd()' });
      const { text, headers } = await testBed.harness.request('GET', '/api/journal/export', {
        as: first,
        query: { user_id: userId },
      });
      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      const lines = text.trim().split('\r\n');
      expect(lines).toHaveLength(2);
      expect(lines[1]).toContain(',admin-adjustment,adjustments,wallet:');
      expect(lines[1]).toContain(",'=cmd(),");
      expect(lines[0]).toContain(',amount,amount_usd,change,change_usd,');
      expect(lines[1]).toContain(',7,0.000014,7,0.000014,');
    });
  });

  describe('a chain of proof', () => {
    const chain = async (as: TestCaller, kind: string, id: string): Promise<Proof> =>
      read<Proof>(as, `/api/proof/${kind}/${id}`);
    const linksOf = ({ steps }: Proof): string[] => steps.map(({ link, state }) => `${link}: ${state}`);

    it('shows a request from its price to its row in the log, rates it again, and hides internal details from users', async () => {
      const userId = newUser();
      const [version] = await testBed.sql<{ id: string }>(
        `select "price_version" as "id" from "price_publication" limit 1`,
      );
      const usage = {
        semantics: 'openai',
        inputTokens: 100,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 10,
      } as const;
      const id = uuidv7();
      const event = consumed({ userId, quota: 11, usage, priceVersion: version?.id ?? '', channelId: 9 }, id);
      await testBed.inContext(() => testBed.get(BookingService).book([event]));
      testBed.neighbours.log = {
        ...{
          id: 5,
          user_id: userId,
          created_at: 1_763_856_000,
          type: 2,
          content: '',
          username: 'u',
          token_name: '',
          model_name: 'gpt-4o-mini',
        },
        ...{
          quota: 11,
          prompt_tokens: 100,
          completion_tokens: 10,
          use_time: 1,
          is_stream: false,
          channel: 9,
          channel_name: 'c',
          token_id: 0,
        },
        group: 'default',
        other: JSON.stringify({
          held: 500,
          admin_info: { use_channel: ['9'] },
          usage_source: 'upstream',
          outcome: 'completed',
        }),
      };
      const whole = await chain(first, 'request', id);
      expect(linksOf(whole)).toEqual([
        'received: done',
        'price: done',
        'hold: done',
        'attempt: done',
        'usage: done',
        'rating: done',
        'event: done',
        'posting: done',
        'seal: pending',
        'log: done',
      ]);
      expect(whole).toMatchObject({ complete: true, user_id: userId });
      const rating = whole.steps.find(({ link }) => link === 'rating');
      // (100 + 10 · 4) · 0.075 = 10.5
      expect(rating?.facts).toContainEqual({ name: 'exactly', value: '10.5' });
      expect(rating?.lines).toHaveLength(2);
      const own = await chain({ id: userId }, 'request', id);
      expect(own.steps.some(({ link }) => link === 'attempt')).toBe(false);
      expect(JSON.stringify(own)).not.toMatch(/channel_id|replica_epoch|author_id|log_id/);
      const stranger = await testBed.harness.request('GET', `/api/proof/request/${id}`, { as: { id: newUser() } });
      expect(codeOf(stranger.body)).toBe('proof-not-found');

      testBed.neighbours.log = { ...testBed.neighbours.log, quota: 12 };
      expect(linksOf(await chain(first, 'posting', id))).toContain('log: differs');
      testBed.neighbours.log = undefined;
      const lost = await chain(first, 'task', id);
      expect([lost.complete, ...linksOf(lost)]).toEqual(
        expect.arrayContaining([false, 'task: missing', 'log: missing']),
      );
    });

    it('shows a task between its attempts and its usage, and its channel to administrators alone', async () => {
      const userId = newUser();
      const id = uuidv7();
      await testBed.inContext(() => testBed.get(BookingService).book([consumed({ userId, quota: 50_000 }, id)]));
      const said = { action: 'IMAGINE', upstreamId: 'u-77', progress: '40%', status: 'IN_PROGRESS' };
      const row = {
        ...emptyTaskUpdate,
        ...said,
        id: 3,
        requestId: id,
        userId,
        channelId: 9,
        platform: 'midjourney' as const,
      };
      testBed.neighbours.task = { ...row, code: 1, prompt: 'a cat', submittedAt: 1_763_856_000_000, isOver: false };
      const facts = async (as: TestCaller) => (await chain(as, 'task', id)).steps.find(({ link }) => link === 'task');
      expect(await facts(first)).toMatchObject({ state: 'pending', time: 1_763_856_000_000 });
      expect((await facts(first))?.facts).toEqual([
        { name: 'platform', value: 'midjourney' },
        { name: 'action', value: 'IMAGINE' },
        { name: 'upstream_id', value: 'u-77' },
        { name: 'task_status', value: 'IN_PROGRESS' },
        { name: 'progress', value: '40%' },
        { name: 'channel_id', value: 9 },
      ]);
      expect(JSON.stringify(await facts({ id: userId }))).not.toContain('channel_id');
      testBed.neighbours.task = null;
    });

    it('shows an adjustment with its event, the position of that, and its row of the log', async () => {
      const userId = newUser();
      await adjust(userId, 500);
      const id = (await journal({ user_id: userId })).items[0]?.id ?? '';
      expect(linksOf(await chain(first, 'posting', id))).toEqual(['posting: done', 'seal: pending']);
      // The log row of the adjustment has the id of the posting, but must not make it look like a request.
      const told = {
        id: 6,
        user_id: userId,
        created_at: 1_763_856_000,
        type: 3,
        content: '管理员将用户额度从 ',
        username: 'u',
      };
      const rest = { token_name: '', model_name: '', quota: 0, prompt_tokens: 0, completion_tokens: 0, use_time: 0 };
      const none = { is_stream: false, channel: 0, channel_name: '', token_id: 0, group: '', other: '' };
      testBed.neighbours.log = { ...told, ...rest, ...none };
      const links = ['posting: done', 'seal: pending', 'event: done', 'log: done'];
      expect(linksOf(await chain(first, 'posting', id))).toEqual(links);
      testBed.neighbours.place = { topic: 'quota-adjusted', partition: 2, offset: 41 };
      const placed = await chain(first, 'posting', id);
      expect(linksOf(placed)).toEqual(links);
      expect(JSON.stringify(placed)).toContain('log_id');
      expect(JSON.stringify(await chain({ id: userId }, 'posting', id))).not.toContain('log_id');
      expect(placed.steps.find(({ link }) => link === 'event')?.facts).toEqual([
        { name: 'topic', value: 'quota-adjusted' },
        { name: 'id', value: id },
        { name: 'partition', value: 2 },
        { name: 'offset', value: 41 },
      ]);
      testBed.neighbours.place = null;
      const asked = await testBed.harness.request('GET', `/api/proof/request/${id}`, { as: first });
      expect(codeOf(asked.body)).toBe('proof-not-found');
      testBed.neighbours.log = undefined;
    });

    it('shows the request of a correction, who approved its run, and the terms of that', async () => {
      const userId = newUser();
      const [charged, alone] = [await spend(userId, 60), await spend(userId, 70)];
      const [run] = await testBed.sql<{ id: number }>(
        `insert into "approval" ("kind", "status", "command", "user_id", "change", "payload", "requester_id", "created_at", "expires_at", "decider_id", "decided_at")
         values ('correction', 'approved', ?, ?, -12, '{}', 2, now(), now(), 3, now()) returning "id"`,
        [`correction:${userId}`, userId],
      );
      const reason = `dearer (correction run ${run?.id}, approved by user 3)`;
      const corrected = async (request: string, amount: number): Promise<string> => {
        const id = uuidv7();
        await testBed.sql(
          `with named as (insert into "posting_key" ("code", "reference", "posting_id") values ('correction', ?, ?))
           insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "reference", "actor_id", "reason")
           values (?, 'correction', ?, 'revenue', ?, ?, ?, 2, ?)`,
          [request, id, id, `wallet:${userId}`, amount, userId, request, reason],
        );
        return id;
      };
      const [whole, other] = [await corrected(charged, 12), await corrected(alone, 5)];
      await testBed.sql(
        `insert into "correction_row" ("approval_id", "number", "request_id", "user_id", "token_id", "model", "group", "channel_id", "charged", "rerated")
         values (?, 1, ?::uuid, ?, 0, 'gpt-4o-mini', 'vip', 9, 60, 72)`,
        [run?.id, charged, userId],
      );
      const links = ['received: done', 'approval: done', 'posting: done', 'seal: pending'];
      const proof = await chain(first, 'posting', whole);
      expect(linksOf(proof)).toEqual(links);
      expect(proof.steps.slice(0, 2).map(({ facts }) => facts)).toEqual([
        [
          { name: 'request_id', value: charged },
          { name: 'user_id', value: userId },
        ],
        [
          { name: 'approval_id', value: run?.id },
          { name: 'status', value: 'approved' },
          { name: 'requester_id', value: 2 },
          { name: 'decider_id', value: 3 },
          { name: 'charged', value: 60 },
          { name: 'quota', value: 72 },
        ],
      ]);
      expect(linksOf(await chain(first, 'request', charged))).toEqual(expect.arrayContaining(['approval: done']));
      expect(linksOf(await chain({ id: userId }, 'posting', whole))).not.toContain('approval: done');
      // The run has no row for this request, so its correction was not approved.
      expect(linksOf(await chain(first, 'posting', other))).toContain('approval: differs');
    });

    it('shows an order and a code, and refuses unknown ones', async () => {
      const userId = newUser();
      await testBed.sql(
        `insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at")
         values (?, ?, 'epay', 'alipay', '1', 'paid', 1, 2000, '7.30', 'CNY', now(), now())`,
        [userId, `P${userId}`],
      );
      // A paid order without its posting has a broken chain.
      expect(linksOf(await chain(first, 'order', `P${userId}`))).toEqual(['posting: missing']);
      const [code] = await testBed.sql<{ id: number }>(
        `insert into "redemption" ("user_id", "name", "key_hash", "key_sealed", "quota", "created_time", "status") values (1, 'gift', ?, '', 5, 1, 1) returning "id"`,
        [`hash-${userId}`],
      );
      // The code is not redeemed yet; once it is, its posting must exist.
      expect(linksOf(await chain(first, 'code', String(code?.id)))).toEqual(['code: done']);
      await testBed.sql(`update "redemption" set "status" = 3, "used_user_id" = ? where "id" = ?`, [userId, code?.id]);
      const broken = await chain(first, 'code', String(code?.id));
      expect([broken.complete, broken.user_id, ...linksOf(broken)]).toEqual([
        ...[false, userId, 'code: done', 'posting: missing'],
      ]);
      for (const path of [`request/${uuidv7()}`, 'order/none', 'code/77', 'posting/x', 'request/x']) {
        const { body } = await testBed.harness.request('GET', `/api/proof/${path}`, { as: first });
        expect([path, codeOf(body)]).toEqual([path, 'proof-not-found']);
      }
    });
  });
});
