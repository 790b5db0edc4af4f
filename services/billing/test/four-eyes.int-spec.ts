import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adjustQuota, askAdjustment, getBalances, noNews, type Page } from '@tollgate/contracts';
import type { Approval, PendingApprovals } from '@tollgate/contracts/api/approval';
import type { BudgetChange, PostingReply, TokenBudget } from '@tollgate/contracts/api/journal';
import type { Proof } from '@tollgate/contracts/api/proof';
import type { Token } from '@tollgate/contracts/api/token';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingStand, consumed, startBilling } from './stand.js';

const suite = hasPostgres() ? describe : describe.skip;
const first: TestCaller = { id: 2, role: 10 };
const second: TestCaller = { id: 3, role: 10 };
const root: TestCaller = { id: 1, role: 100 };

suite('the journal, budgets and four eyes', () => {
  let stand: BillingStand;
  let nextUser = 700;
  beforeAll(async () => {
    stand = await startBilling();
    for (const { id } of [first, second]) stand.neighbours.users.set(id, { role: 10 });
  });
  afterAll(() => stand.close());

  const newUser = (): number => (nextUser += 1);
  const post = <T>(as: TestCaller, path: string, body?: unknown, headers?: Record<string, string>) =>
    stand.harness.request<T>('POST', path, { as, body, headers });
  const read = async <T>(as: TestCaller, path: string, query: Record<string, string | number> = {}): Promise<T> => {
    const { body } = await stand.harness.request<T>('GET', path, { as, query });
    if (!body.success) throw new Error(body.message);
    return body.data as T;
  };
  const journal = (query: Record<string, string | number>, as = first, path = '/api/journal') =>
    read<Page<PostingReply>>(as, path, query);
  const quotaOf = async (userId: number): Promise<number> =>
    (await stand.call(getBalances, { userIds: [userId] })).balances[0]?.quota ?? Number.NaN;
  const codeOf = (body: object): unknown => (body as { code?: string }).code;
  const adjust = (userId: number, delta: number, more: object = {}) =>
    stand.call(adjustQuota, {
      userId,
      delta,
      actorId: first.id,
      commandId: `command-${uuidv7()}`,
      reason: 'gift',
      ...more,
    });
  const refused = async (work: Promise<unknown>): Promise<{ code: string; details: { params?: { id?: number } } }> =>
    work.then(
      () => Promise.reject(new Error('it was not refused')),
      (error: unknown) => error as { code: string; details: { params?: { id?: number } } },
    );
  const spend = (userId: number, quota: number, model = 'gpt-4o-mini', tokenId = 0) => {
    const id = uuidv7();
    const event = consumed({ userId, tokenId, quota, model, group: 'vip', channelId: 9 }, id);
    return stand.inContext(async () => {
      await stand.get(BookingService).book([event]);
      return id;
    });
  };
  const newToken = async (userId: number, remain: number): Promise<Token> => {
    const as = { id: userId };
    await post(as, '/api/token/', { name: 'key', remain_quota: remain });
    const [token] = await read<Token[]>(as, '/api/token/');
    if (!token) throw new Error('no token');
    return token;
  };

  describe('the journal', () => {
    it('finds rows by user, code, reference and time, newest first, and says what each did to the wallet', async () => {
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
      const { text, headers } = await stand.harness.request('GET', '/api/journal/export', {
        as: first,
        query: { user_id: userId },
      });
      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      const lines = text.trim().split('\r\n');
      expect(lines).toHaveLength(2);
      expect(lines[1]).toContain(',admin-adjustment,adjustments,wallet:');
      expect(lines[1]).toContain(",'=cmd(),");
    });
  });

  describe('a chain of proof', () => {
    const chain = async (as: TestCaller, kind: string, id: string): Promise<Proof> =>
      read<Proof>(as, `/api/proof/${kind}/${id}`);
    const linksOf = ({ steps }: Proof): string[] => steps.map(({ link, state }) => `${link}: ${state}`);

    it('shows a request from its price to its row in the log, works the charge out again, and keeps the inside from users', async () => {
      const userId = newUser();
      const [version] = await stand.sql<{ id: string }>(
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
      await stand.inContext(() => stand.get(BookingService).book([event]));
      stand.neighbours.log = {
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
      expect(JSON.stringify(own)).not.toMatch(/channel_id|replica_epoch|author_id/);
      const stranger = await stand.harness.request('GET', `/api/proof/request/${id}`, { as: { id: newUser() } });
      expect(codeOf(stranger.body)).toBe('proof-not-found');

      stand.neighbours.log = { ...stand.neighbours.log, quota: 12 };
      expect(linksOf(await chain(first, 'posting', id))).toContain('log: differs');
      stand.neighbours.log = undefined;
      const lost = await chain(first, 'task', id);
      expect([lost.complete, ...linksOf(lost)]).toEqual(
        expect.arrayContaining([false, 'task: missing', 'log: missing']),
      );
    });

    it('shows a task between its attempts and its usage, and its channel to administrators alone', async () => {
      const userId = newUser();
      const id = uuidv7();
      await stand.inContext(() => stand.get(BookingService).book([consumed({ userId, quota: 50_000 }, id)]));
      const said = { action: 'IMAGINE', upstreamId: 'u-77', progress: '40%', status: 'IN_PROGRESS' };
      const row = { ...noNews, ...said, id: 3, requestId: id, userId, channelId: 9, platform: 'midjourney' as const };
      stand.neighbours.task = { ...row, code: 1, prompt: 'a cat', submittedAt: 1_763_856_000_000, isOver: false };
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
      stand.neighbours.task = null;
    });

    it('shows an adjustment with the event that told of it, where that lies, and its row of the log', async () => {
      const userId = newUser();
      await adjust(userId, 500);
      const id = (await journal({ user_id: userId })).items[0]?.id ?? '';
      expect(linksOf(await chain(first, 'posting', id))).toEqual(['posting: done', 'seal: pending']);
      // Its row of the log has the id of the posting, and makes no request of it.
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
      stand.neighbours.log = { ...told, ...rest, ...none };
      const links = ['posting: done', 'seal: pending', 'event: done', 'log: done'];
      expect(linksOf(await chain(first, 'posting', id))).toEqual(links);
      stand.neighbours.place = { topic: 'quota-adjusted', partition: 2, offset: 41 };
      const placed = await chain(first, 'posting', id);
      expect(linksOf(placed)).toEqual(links);
      expect(placed.steps.find(({ link }) => link === 'event')?.facts).toEqual([
        { name: 'topic', value: 'quota-adjusted' },
        { name: 'id', value: id },
        { name: 'partition', value: 2 },
        { name: 'offset', value: 41 },
      ]);
      stand.neighbours.place = null;
      const asked = await stand.harness.request('GET', `/api/proof/request/${id}`, { as: first });
      expect(codeOf(asked.body)).toBe('proof-not-found');
      stand.neighbours.log = undefined;
    });

    it('shows an order and a code, and refuses what nobody knows', async () => {
      const userId = newUser();
      await stand.sql(
        `insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at")
         values (?, ?, 'epay', 'alipay', '1', 'paid', 1, 2000, '7.30', 'CNY', now(), now())`,
        [userId, `P${userId}`],
      );
      // A paid order without its posting is a chain that is broken.
      expect(linksOf(await chain(first, 'order', `P${userId}`))).toEqual(['posting: missing']);
      const [code] = await stand.sql<{ id: number }>(
        `insert into "redemption" ("user_id", "name", "key_hash", "key_sealed", "quota", "created_time", "status") values (1, 'gift', ?, '', 5, 1, 1) returning "id"`,
        [`hash-${userId}`],
      );
      // Nothing has come of it yet; once it is redeemed, its posting must be there.
      expect(linksOf(await chain(first, 'code', String(code?.id)))).toEqual(['code: done']);
      await stand.sql(`update "redemption" set "status" = 3, "used_user_id" = ? where "id" = ?`, [userId, code?.id]);
      const broken = await chain(first, 'code', String(code?.id));
      expect([broken.complete, broken.user_id, ...linksOf(broken)]).toEqual([
        ...[false, userId, 'code: done', 'posting: missing'],
      ]);
      for (const path of [`request/${uuidv7()}`, 'order/none', 'code/77', 'posting/x', 'request/x']) {
        const { body } = await stand.harness.request('GET', `/api/proof/${path}`, { as: first });
        expect([path, codeOf(body)]).toEqual([path, 'proof-not-found']);
      }
    });
  });

  describe('the budget of a key', () => {
    it('is raised and lowered by administrators, by postings with a reason, and audited', async () => {
      const userId = newUser();
      const token = await newToken(userId, 100);
      const raise = { delta: 50, reason: 'campaign' };
      const key = { 'idempotency-key': 'budget-key-1' };
      const { body } = await post<BudgetChange>(first, `/api/token/${token.id}/budget`, raise, key);
      expect(body.data).toEqual({ before: 100, after: 150 });
      const again = await post<BudgetChange>(first, `/api/token/${token.id}/budget`, raise, key);
      expect(again.body.data).toEqual({ before: 100, after: 150 });
      const other = await post(first, `/api/token/${token.id}/budget`, { delta: 51, reason: 'campaign' }, key);
      expect(codeOf(other.body)).toBe('idempotency-key-reused');
      await post(first, `/api/token/${token.id}/budget`, { remain_quota: 20, reason: 'misuse' });
      const { items } = await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`);
      expect(items).toMatchObject([{ id: token.id, remain_quota: 20 }]);
      expect(JSON.stringify(items)).not.toContain(token.key);
      const rows = (await journal({ token_id: token.id, code: 'token-budget' })).items;
      expect(rows.map(({ amount, debit, reason }) => [amount, debit, reason])).toEqual([
        [130, `token:${token.id}`, 'misuse'],
        [50, 'budgets', 'campaign'],
        [100, 'budgets', ''],
      ]);
      const told = await stand.sql<{ value: string }>(
        `select "value" from "outbox_event" where "topic" = 'admin-action' order by "id"`,
      );
      const audit = told.map(({ value }) => JSON.parse(value) as { id: string; data: { subject: string } });
      // Each has the id of its posting, by which the chain of proof finds it; making the key is no act of an administrator.
      expect(audit.filter(({ data }) => data.subject === `token:${token.id}`).map(({ id }) => id)).toEqual(
        rows
          .slice(0, 2)
          .map(({ id }) => id)
          .reverse(),
      );
    });

    it('moves by one key once, also for two keys at the same moment', async () => {
      const userId = newUser();
      const tokens = [await newToken(userId, 100), await newToken(userId, 100)];
      const ids = (await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`)).items.map(({ id }) => id);
      expect(ids).toHaveLength(tokens.length);
      const wish = { delta: 50, reason: 'campaign' };
      const headers = { 'idempotency-key': 'one-key-for-two' };
      const replies = await Promise.all(ids.map((id) => post(first, `/api/token/${id}/budget`, wish, headers)));
      expect(replies.map(({ body }) => codeOf(body) ?? 'done').sort()).toEqual(['done', 'idempotency-key-reused']);
      const rows = await stand.sql<{ credit: string; posted: string }>(
        `select t."credit", sum(p."amount") as "posted" from "token" t
         join "posting" p on p."token_id" = t."id" and p."code" = 'token-budget' where t."user_id" = ? group by 1, t."id" order by 1`,
        [userId],
      );
      expect(rows).toEqual([
        { credit: '100', posted: '100' },
        { credit: '150', posted: '150' },
      ]);
    });

    it('does not fall below zero, and is not for users or equals', async () => {
      const userId = newUser();
      const token = await newToken(userId, 10);
      const path = `/api/token/${token.id}/budget`;
      expect(codeOf((await post(first, path, { delta: -11, reason: 'x' })).body)).toBe('budget-below-zero');
      expect(codeOf((await post(first, path, { delta: 5 })).body)).toBe('invalid-input');
      expect(codeOf((await post(first, path, { delta: 5, remain_quota: 5, reason: 'x' })).body)).toBe('invalid-input');
      stand.neighbours.users.set(userId, { role: 10 });
      expect(codeOf((await post(first, path, { delta: 5, reason: 'x' })).body)).toBe('user-of-equal-or-higher-rank');
      expect((await stand.harness.request('POST', path, { as: { id: userId }, body: {} })).body.success).toBe(false);
    });
  });

  describe('above the limit', () => {
    beforeAll(() => stand.setOptions({ AdjustmentApprovalLimit: '1000', RefundApprovalLimit: '1000' }));
    afterAll(() => stand.setOptions({ AdjustmentApprovalLimit: '0', RefundApprovalLimit: '0' }));

    const asked = async (userId: number, delta = 5000): Promise<number> => {
      const { code, details } = await refused(adjust(userId, delta));
      expect(code).toBe('approval-required');
      return details.params?.id ?? 0;
    };
    const paidOrder = async (userId: number, tradeNo: string): Promise<number> => {
      const [order] = await stand.sql<{ id: number }>(
        `insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at", "paid_at")
         values (?, ?, 'epay', 'alipay', '1', 'paid', 1, 2000, '7.30', 'CNY', now(), now(), now()) returning "id"`,
        [userId, tradeNo],
      );
      return order?.id ?? 0;
    };
    const approve = (as: TestCaller, id: number) => post<Approval>(as, `/api/approval/${id}/approve`, {});

    it('an adjustment moves nothing until a second administrator agrees, and then once', async () => {
      const userId = newUser();
      await adjust(userId, 1000);
      const id = await asked(userId);
      expect(await quotaOf(userId)).toBe(1000);
      expect(codeOf((await approve(first, id)).body)).toBe('approval-own');
      const decided = await approve(second, id);
      expect(decided.body.data).toMatchObject({ status: 'approved', decider_id: second.id, requester_id: first.id });
      expect((await approve(second, id)).body.success).toBe(true);
      expect(codeOf((await approve(root, id)).body)).toBe('approval-decided');
      expect(await quotaOf(userId)).toBe(6000);
      const { items } = await journal({ user_id: userId, code: 'admin-adjustment' });
      expect(items.map(({ amount, actor_id: actor }) => [amount, actor])).toEqual([
        [5000, first.id],
        [1000, first.id],
      ]);
      const actions = (await stand.outbox<{ action: string; subject: string }>('admin-action')).filter(
        ({ subject }) => subject === `approval:${id}`,
      );
      expect(actions.map(({ action }) => action)).toEqual(['approval-request', 'approval-approve']);
    });

    it('two who agree at the same moment make one posting', async () => {
      const userId = newUser();
      const id = await asked(userId);
      const replies = await Promise.all([second, root, { id: 4, role: 10 as const }].map((as) => approve(as, id)));
      expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
      expect(await quotaOf(userId)).toBe(5000);
    });

    it('the same wish is one request, and a keyed command finds its own again', async () => {
      const userId = newUser();
      const ids = await Promise.all([asked(userId), asked(userId), asked(userId)]);
      expect(new Set(ids).size).toBe(1);
      const keyed = { commandId: `keyed-${uuidv7()}`, fingerprint: 'fingerprint' };
      const { details } = await refused(adjust(userId, 7000, keyed));
      const again = await refused(adjust(userId, 7000, keyed));
      expect(again.details.params?.id).toBe(details.params?.id);
      await approve(second, details.params?.id ?? 0);
      expect(await adjust(userId, 7000, keyed)).toEqual({ before: 0, after: 7000 });
    });

    it('another wish for the same is no repeat: it is refused and says which one waits', async () => {
      const userId = newUser();
      const id = await asked(userId);
      const { code, details } = await refused(adjust(userId, 5000, { reason: 'another reason' }));
      expect([code, details.params?.id]).toEqual(['approval-differs', id]);

      const orderId = await paidOrder(userId, `D${userId}`);
      const refund = async (terms: object) => {
        const { body } = await post(first, `/api/user/topup/${orderId}/refund`, { reason: 'asked for', ...terms });
        return body as unknown as { code: string; params: { id: number } };
      };
      expect((await refund({ allow_negative: false })).code).toBe('wallet-short');
      const waiting = await refund({ allow_negative: true });
      expect(waiting.code).toBe('approval-required');
      expect(await refund({ allow_negative: true, reason: 'other' })).toMatchObject({
        code: 'approval-differs',
        params: { id: waiting.params.id },
      });
      // Two people ask for the same refund: when one of them is carried out, the other one is closed.
      const other = await post(root, `/api/user/topup/${orderId}/refund`, { reason: 'mine', allow_negative: true });
      const { params } = other.body as unknown as { params: { id: number } };
      expect((await approve(second, waiting.params.id)).body.success).toBe(true);
      expect(await read<Approval>(second, `/api/approval/${params.id}`)).toMatchObject({ status: 'expired' });
      expect(await quotaOf(userId)).toBe(-2000);
    });

    it('a refusal needs a reason and moves nothing, and only the requester withdraws', async () => {
      const userId = newUser();
      const id = await asked(userId);
      expect(codeOf((await post(second, `/api/approval/${id}/refuse`, { note: ' ' })).body)).toBe('invalid-input');
      expect(codeOf((await post(second, `/api/approval/${id}/withdraw`)).body)).toBe('approval-not-own');
      const { body } = await post<Approval>(second, `/api/approval/${id}/refuse`, { note: 'too much' });
      expect(body.data).toMatchObject({ status: 'refused', note: 'too much' });
      expect(codeOf((await approve(root, id)).body)).toBe('approval-decided');
      const own = await asked(userId);
      const withdrawn = await post<Approval>(first, `/api/approval/${own}/withdraw`);
      expect(withdrawn.body.data).toMatchObject({ status: 'withdrawn' });
      expect(await quotaOf(userId)).toBe(0);
    });

    it('a request expires', async () => {
      const userId = newUser();
      const id = await asked(userId);
      await stand.sql(`update "approval" set "expires_at" = now() - interval '1 second' where "id" = ?`, [id]);
      expect(codeOf((await approve(second, id)).body)).toBe('approval-expired');
      expect(await read<Approval>(second, `/api/approval/${id}`)).toMatchObject({ status: 'expired' });
      expect((await asked(userId)) !== id).toBe(true);
    });

    it('nobody agrees to what is theirs or above them', async () => {
      const own = await asked(second.id);
      stand.neighbours.users.set(second.id, { role: 10 });
      expect(codeOf((await approve({ id: 4, role: 10 }, own)).body)).toBe('user-of-equal-or-higher-rank');
      const mine = await asked(root.id);
      expect(codeOf((await approve(root, mine)).body)).toBe('approval-beneficiary');
    });

    it.each([
      ['was demoted', { role: 1 }],
      ['was banned', { role: 10, status: 2 }],
      ['was deleted', undefined],
    ])('nobody agrees to what was asked for by somebody who %s since', async (_, now) => {
      const asker: TestCaller = { id: newUser(), role: 10 };
      stand.neighbours.users.set(asker.id, { role: 10 });
      const userId = newUser();
      const { details } = await refused(adjust(userId, 5000, { actorId: asker.id }));
      const id = details.params?.id ?? 0;
      if (now) stand.neighbours.users.set(asker.id, now);
      else stand.neighbours.gone.add(asker.id);
      expect((await approve(second, id)).body).toMatchObject({
        success: false,
        code: 'approval-requester-gone',
        message: '申请人已不再有权提交该申请，不能批准',
      });
      expect(await quotaOf(userId)).toBe(0);
      expect((await post(second, `/api/approval/${id}/refuse`, { note: 'gone' })).body.success).toBe(true);
    });

    it('is only asked for, and moves nothing, where nobody else has to agree', async () => {
      const userId = newUser();
      const ask = (delta: number, commandId = `command-${uuidv7()}`) =>
        stand.call(askAdjustment, { userId, delta, actorId: first.id, commandId, reason: 'gift' });
      expect(await ask(900)).toEqual({ before: 0, after: 900 });
      expect(await quotaOf(userId)).toBe(0);
      expect((await refused(ask(9000))).code).toBe('approval-required');
      // A caller of before asks in another way.
      expect(await adjust(userId, 900, { asksOnly: true })).toEqual({ before: 0, after: 900 });
      expect(await quotaOf(userId)).toBe(0);
      await adjust(userId, 5, { commandId: 'command-done' });
      expect(await ask(5, 'command-done')).toEqual({ before: 0, after: 5 });
    });

    it('holds for budgets and refunds too', async () => {
      const userId = newUser();
      const token = await newToken(userId, 10);
      const wish = await post(first, `/api/token/${token.id}/budget`, { delta: 5000, reason: 'big' });
      const budget = wish.body as unknown as { code: string; params: { id: number } };
      expect(budget.code).toBe('approval-required');
      await approve(second, budget.params.id);
      expect((await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`)).items[0]?.remain_quota).toBe(5010);

      const orderId = await paidOrder(userId, `T${userId}`);
      const path = `/api/user/topup/${orderId}/refund`;
      const refund = await post(first, path, { reason: 'asked for', allow_negative: true });
      const { code, params } = refund.body as unknown as { code: string; params: { id: number } };
      expect(code).toBe('approval-required');
      expect(await quotaOf(userId)).toBe(0);
      await approve(second, params.id);
      expect(await quotaOf(userId)).toBe(-2000);
      expect((await journal({ reference: `T${userId}` })).items[0]).toMatchObject({
        code: 'refund',
        actor_id: first.id,
      });
    });

    it('lays nothing down that could never be carried out, and agrees to nothing that was done meanwhile', async () => {
      const userId = newUser();
      const token = await newToken(userId, 100);
      const path = `/api/token/${token.id}/budget`;
      expect(codeOf((await post(first, path, { delta: -(10 ** 9), reason: 'x' })).body)).toBe('budget-below-zero');
      const most = { delta: Number.MAX_SAFE_INTEGER, reason: 'x' };
      expect(codeOf((await post(first, path, most)).body)).toBe('quota-out-of-range');

      const wish = [first, path, { delta: 5000, reason: 'big' }, { 'idempotency-key': 'asked-then-done' }] as const;
      const { params } = (await post(...wish)).body as unknown as { params: { id: number } };
      await stand.setOptions({ AdjustmentApprovalLimit: '0' });
      expect((await post(...wish)).body.data).toEqual({ before: 100, after: 5100 });
      await stand.setOptions({ AdjustmentApprovalLimit: '1000' });
      expect(codeOf((await approve(second, params.id)).body)).toBe('approval-expired');
      expect(await read<Approval>(second, `/api/approval/${params.id}`)).toMatchObject({ status: 'expired' });
      const { items } = await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`);
      expect(items[0]?.remain_quota).toBe(5100);
    });

    it('tells how many wait, and for whom', async () => {
      const before = await read<PendingApprovals>(first, '/api/approval/pending');
      await asked(newUser());
      const own = await read<PendingApprovals>(first, '/api/approval/pending');
      const others = await read<PendingApprovals>(second, '/api/approval/pending');
      expect([own.count, own.for_me]).toEqual([before.count + 1, before.for_me]);
      expect(others.for_me).toBeGreaterThan(0);
      const { items } = await read<Page<Approval>>(second, '/api/approval', { status: 'pending', kind: 'adjustment' });
      expect(items[0]).toMatchObject({ status: 'pending', change: 5000, requester_id: first.id, reason: 'gift' });
    });
  });
});
