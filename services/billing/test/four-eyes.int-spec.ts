import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askAdjustment, type Page } from '@tollgate/contracts';
import type { Approval, PendingApprovals } from '@tollgate/contracts/api/approval';
import type { TokenBudget } from '@tollgate/contracts/api/journal';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { submitCorrections } from '../src/rerate/submit-corrections.js';
import type { Query } from '../src/seal/chain-rows.js';
import { deskAt, first, second } from './desk.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const root: TestCaller = { id: 1, role: 100 };

suite('four eyes', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
    for (const { id } of [first, second]) testBed.neighbours.users.set(id, { role: 10 });
  });
  afterAll(() => testBed.close());

  const { newUser, post, read, journal, quotaOf, codeOf, adjust, refused, spend, newToken } = deskAt(() => testBed);

  describe('above the limit', () => {
    beforeAll(() => testBed.setOptions({ AdjustmentApprovalLimit: '1000', RefundApprovalLimit: '1000' }));
    afterAll(() => testBed.setOptions({ AdjustmentApprovalLimit: '0', RefundApprovalLimit: '0' }));

    const asked = async (userId: number, delta = 5000): Promise<number> => {
      const { code, details } = await refused(adjust(userId, delta));
      expect(code).toBe('approval-required');
      return details.params?.id ?? 0;
    };
    const paidOrder = async (userId: number, tradeNo: string): Promise<number> => {
      const [order] = await testBed.sql<{ id: number }>(
        `insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at", "paid_at")
         values (?, ?, 'epay', 'alipay', '1', 'paid', 1, 2000, '7.30', 'CNY', now(), now(), now()) returning "id"`,
        [userId, tradeNo],
      );
      return order?.id ?? 0;
    };
    const approve = (as: TestCaller, id: number) => post<Approval>(as, `/api/approval/${id}/approve`, {});

    it('an adjustment moves nothing until a second administrator approves it, and then once', async () => {
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
      const actions = (await testBed.outbox<{ action: string; subject: string }>('admin-action')).filter(
        ({ subject }) => subject === `approval:${id}`,
      );
      expect(actions.map(({ action }) => action)).toEqual(['approval-request', 'approval-approve']);
    });

    it('two approvals at the same moment make one posting', async () => {
      const userId = newUser();
      const id = await asked(userId);
      const replies = await Promise.all([second, root, { id: 4, role: 10 as const }].map((as) => approve(as, id)));
      expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
      expect(await quotaOf(userId)).toBe(5000);
    });

    it('the same movement is one request, and a repeated command finds it again', async () => {
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

    it('the same new balance is one request, whatever is spent meanwhile, and adds what it lacked when it was asked for', async () => {
      const userId = newUser();
      await adjust(userId, 1000);
      const set = (quota: number) => adjust(userId, 0, { delta: undefined, quota });
      const idOf = async (quota: number) => (await refused(set(quota))).details.params?.id ?? 0;
      const id = await idOf(6000);
      await spend(userId, 1);
      expect(await idOf(6000)).toBe(id);
      const lower = await idOf(5500);
      expect(lower).not.toBe(id);
      expect(await read<Approval>(second, `/api/approval/${id}`)).toMatchObject({ status: 'pending', change: 5000 });
      await approve(second, id);
      expect(await quotaOf(userId)).toBe(5999);
      expect(await set(6000)).toEqual({ before: 5999, after: 6000 });
      expect(await read<Approval>(second, `/api/approval/${lower}`)).toMatchObject({ status: 'pending' });
    });

    it('a new balance is set once where the limit was raised and quota spent since it was asked for', async () => {
      const userId = newUser();
      const token = await newToken(userId, 100);
      const wallet = () => adjust(userId, 0, { delta: undefined, quota: 5000 });
      const budget = { remain_quota: 5000, reason: 'big' };
      const path = `/api/token/${token.id}/budget`;
      const id = (await refused(wallet())).details.params?.id ?? 0;
      const { params } = (await post(first, path, budget)).body as unknown as { params: { id: number } };
      await spend(userId, 3, 'gpt-4o-mini', token.id);
      const again = (await post(first, path, budget)).body as unknown as { params: { id: number } };
      expect(again.params.id).toBe(params.id);
      await testBed.setOptions({ AdjustmentApprovalLimit: '0' });
      expect(await wallet()).toEqual({ before: -3, after: 5000 });
      expect((await post(first, path, budget)).body.data).toEqual({ before: 97, after: 5000 });
      await testBed.setOptions({ AdjustmentApprovalLimit: '1000' });
      for (const request of [id, params.id]) {
        expect(await read<Approval>(second, `/api/approval/${request}`)).toMatchObject({ status: 'expired' });
        expect(codeOf((await approve(second, request)).body)).toBe('approval-expired');
      }
    });

    it('the idempotency key of a request that waits is refused for anything else, and the request still waits', async () => {
      const userId = newUser();
      const path = `/api/token/${(await newToken(userId, 100)).id}/budget`;
      const headers = { 'idempotency-key': 'key-of-a-waiting-budget' };
      const { params } = (await post(first, path, { delta: 5000, reason: 'big' }, headers)).body as unknown as {
        params: { id: number };
      };
      for (const delta of [50, 6000])
        expect(codeOf((await post(first, path, { delta, reason: 'big' }, headers)).body)).toBe(
          'idempotency-key-reused',
        );
      expect(await read<Approval>(second, `/api/approval/${params.id}`)).toMatchObject({ status: 'pending' });

      const named = { commandId: `wallet-${uuidv7()}`, fingerprint: 'fingerprint' };
      const { details } = await refused(adjust(userId, 5000, named));
      const other = { former: [named], commandId: `newer-${uuidv7()}`, fingerprint: 'of-another-secret' };
      expect((await refused(adjust(userId, 5000, { ...named, fingerprint: 'of-another' }))).code).toBe(
        'idempotency-key-reused',
      );
      const changed = { ...other, former: [{ ...named, fingerprint: 'of-another' }] };
      expect((await refused(adjust(userId, 50, changed))).code).toBe('idempotency-key-reused');
      expect((await refused(adjust(userId, 5000, other))).details.params?.id).toBe(details.params?.id);
      expect(await quotaOf(userId)).toBe(0);
    });

    it('a request with other terms is refused, naming the one that waits', async () => {
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
      // Two administrators request the same refund: when one request is carried out, the other one is closed.
      const other = await post(root, `/api/user/topup/${orderId}/refund`, { reason: 'mine', allow_negative: true });
      const { params } = other.body as unknown as { params: { id: number } };
      expect((await approve(second, waiting.params.id)).body.success).toBe(true);
      expect(await read<Approval>(second, `/api/approval/${params.id}`)).toMatchObject({ status: 'expired' });
      expect(await quotaOf(userId)).toBe(-2000);
    });

    it('a refusal needs a reason and moves nothing, and only the requester withdraws', async () => {
      const userId = newUser();
      const id = await asked(userId);
      for (const body of [{}, { note: null }, { note: ' ' }])
        expect((await post(second, `/api/approval/${id}/refuse`, body)).body).toMatchObject({
          ...{ success: false, code: 'invalid-input', message: '请填写拒绝原因' },
        });
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
      await testBed.sql(`update "approval" set "expires_at" = now() - interval '1 second' where "id" = ?`, [id]);
      expect(codeOf((await approve(second, id)).body)).toBe('approval-expired');
      expect(await read<Approval>(second, `/api/approval/${id}`)).toMatchObject({ status: 'expired' });
      expect((await asked(userId)) !== id).toBe(true);
    });

    it('is done once where the same person does the same under a limit that was raised meanwhile', async () => {
      const userId = newUser();
      const [id, other] = [await asked(userId), await asked(userId, 6000)];
      testBed.setOptions({ AdjustmentApprovalLimit: '0' });
      await adjust(userId, 5000);
      testBed.setOptions({ AdjustmentApprovalLimit: '1000' });
      expect(await read<Approval>(second, `/api/approval/${id}`)).toMatchObject({ status: 'expired' });
      expect(codeOf((await approve(second, id)).body)).toBe('approval-expired');
      expect(await read<Approval>(second, `/api/approval/${other}`)).toMatchObject({ status: 'pending' });
      expect(await quotaOf(userId)).toBe(5000);
    });

    it('moves nothing for a user who was deleted since, with a reason', async () => {
      const userId = newUser();
      const id = await asked(userId);
      testBed.neighbours.gone.add(userId);
      expect(codeOf((await approve(second, id)).body)).toBe('user-not-found');
      expect(await read<Approval>(second, `/api/approval/${id}`)).toMatchObject({
        status: 'expired',
        note: '用户不存在',
      });
      expect(await quotaOf(userId)).toBe(0);
    });

    it('nobody approves what concerns themselves or users above them', async () => {
      const own = await asked(second.id);
      testBed.neighbours.users.set(second.id, { role: 10 });
      expect(codeOf((await approve({ id: 4, role: 10 }, own)).body)).toBe('user-of-equal-or-higher-rank');
      const mine = await asked(root.id);
      expect(codeOf((await approve(root, mine)).body)).toBe('approval-beneficiary');
    });

    it.each([
      ['was demoted', { role: 1 }],
      ['was banned', { role: 10, status: 2 }],
      ['was deleted', undefined],
    ])('a request of an administrator who %s since is not approved', async (_, now) => {
      const asker: TestCaller = { id: newUser(), role: 10 };
      testBed.neighbours.users.set(asker.id, { role: 10 });
      const userId = newUser();
      const { details } = await refused(adjust(userId, 5000, { actorId: asker.id }));
      const id = details.params?.id ?? 0;
      if (now) testBed.neighbours.users.set(asker.id, now);
      else testBed.neighbours.gone.add(asker.id);
      expect((await approve(second, id)).body).toMatchObject({
        success: false,
        code: 'approval-requester-gone',
        message: '申请人已不再有权提交该申请，不能批准',
      });
      expect(await quotaOf(userId)).toBe(0);
      expect((await post(second, `/api/approval/${id}/refuse`, { note: 'gone' })).body.success).toBe(true);
    });

    it('moves nothing when it is only requested, even where no approval is needed', async () => {
      const userId = newUser();
      const ask = (delta: number, commandId = `command-${uuidv7()}`) =>
        testBed.call(askAdjustment, { userId, delta, actorId: first.id, commandId, reason: 'gift' });
      expect(await ask(900)).toEqual({ before: 0, after: 900 });
      expect(await quotaOf(userId)).toBe(0);
      expect((await refused(ask(9000))).code).toBe('approval-required');
      // Callers of an older release use `asksOnly` instead.
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

    it('is compared with the journal afterwards: approvals, and correction runs', async () => {
      const posted = 'what two people agreed to is posted as it was asked for';
      const run = 'a correction run is posted whole';
      const userId = newUser();
      const id = await asked(userId, -5000);
      await approve(second, id);
      expect([await testBed.faultsOf(posted), await testBed.faultsOf(run)]).toEqual([[], []]);
      const harms: [harm: string, undo: string][] = [
        ['"change" = 5000', '"change" = -5000'],
        ['"requester_id" = 9', '"requester_id" = 2'],
        ['"user_id" = 1', `"user_id" = ${userId}`],
        [`"command" = "command" || '0'`, `"command" = left("command", -1)`],
      ];
      for (const [harm, undo] of harms) {
        await testBed.sql(`update "approval" set ${harm} where "id" = ?`, [id]);
        expect(await testBed.faultsOf(posted)).toEqual([`approval:${id}`]);
        await testBed.sql(`update "approval" set ${undo} where "id" = ?`, [id]);
      }

      const request = await spend(userId, 60);
      const client = new Client({
        connectionString: testBed.harness.host.env.DATABASE_URL,
        options: '-c search_path=billing',
      });
      await client.connect();
      const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
        (await client.query<Row>(text, values)).rows;
      const terms = { requestId: request, userId, tokenId: 0, model: 'gpt-4o-mini', group: 'vip', channelId: 9 };
      const differences = [{ ...terms, charged: 60, rerated: 72 }];
      const [laid] = await submitCorrections(query, differences, { reason: 'dearer', requestedBy: first.id });
      await client.end();
      const runId = laid?.approvalId ?? 0;
      expect((await approve(second, runId)).body.data).toMatchObject({ status: 'approved' });
      expect([await testBed.faultsOf(posted), await testBed.faultsOf(run)]).toEqual([[], []]);
      await testBed.sql(`update "approval" set "decider_id" = 9 where "id" = ?`, [runId]);
      expect(await testBed.faultsOf(run)).toEqual([`approval:${runId}`]);
      await testBed.sql(`update "approval" set "decider_id" = 3 where "id" = ?`, [runId]);
      await testBed.sql(`alter table "correction_row" disable trigger user`);
      await testBed.sql(`update "correction_row" set "rerated" = 71 where "approval_id" = ?`, [runId]);
      expect(await testBed.faultsOf(run)).toEqual([`approval:${runId}`]);
      await testBed.sql(`update "correction_row" set "rerated" = 72 where "approval_id" = ?`, [runId]);
      await testBed.sql(`alter table "correction_row" enable trigger user`);
      expect(await testBed.faultsOf(run)).toEqual([]);
    });

    it('lays down nothing that could never be carried out, and approves nothing that was done meanwhile', async () => {
      const userId = newUser();
      const token = await newToken(userId, 100);
      const path = `/api/token/${token.id}/budget`;
      expect(codeOf((await post(first, path, { delta: -(10 ** 9), reason: 'x' })).body)).toBe('budget-below-zero');
      const most = { delta: Number.MAX_SAFE_INTEGER, reason: 'x' };
      expect(codeOf((await post(first, path, most)).body)).toBe('quota-out-of-range');

      const wish = [first, path, { delta: 5000, reason: 'big' }, { 'idempotency-key': 'asked-then-done' }] as const;
      const { params } = (await post(...wish)).body as unknown as { params: { id: number } };
      await testBed.setOptions({ AdjustmentApprovalLimit: '0' });
      expect((await post(...wish)).body.data).toEqual({ before: 100, after: 5100 });
      await testBed.setOptions({ AdjustmentApprovalLimit: '1000' });
      expect(codeOf((await approve(second, params.id)).body)).toBe('approval-expired');
      expect(await read<Approval>(second, `/api/approval/${params.id}`)).toMatchObject({ status: 'expired' });
      const { items } = await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`);
      expect(items[0]?.remain_quota).toBe(5100);
    });

    it('reports how many requests wait, and for whom', async () => {
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
