import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adjustQuota, findAffiliate, getBalances, mostBalance, openAccount, userRegistered } from '@tollgate/contracts';
import { EventLog, toEnvelope } from '@tollgate/chassis';
import { eventually, hasPostgres } from '@tollgate/testing';
import { AffiliateCodes } from '../src/account/affiliate-codes.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('accounts', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling({ QuotaForNewUser: '1000', QuotaForInvitee: '200', QuotaForInviter: '500' });
  });
  afterAll(() => testBed.close());

  const balanceOf = async (userId: number) => (await testBed.call(getBalances, { userIds: [userId] })).balances[0];
  const postings = (userId: number) =>
    testBed.sql<{ code: string; debit: string; credit: string; amount: string }>(
      `select "code", "debit", "credit", "amount" from "posting" where "user_id" = ? order by "id"`,
      [userId],
    );

  it('opens a wallet once when twenty callers ask at the same time', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => testBed.call(openAccount, { userId: 1, kind: 'register', inviterId: 0 })),
    );
    expect(new Set(replies.map(({ quota }) => quota))).toEqual(new Set([1000]));
    expect(await balanceOf(1)).toMatchObject({ quota: 1000, usedQuota: 0, requestCount: 0 });
    expect(await postings(1)).toEqual([{ code: 'new-user-gift', debit: 'grants', credit: 'wallet:1', amount: '1000' }]);
    expect(
      (await testBed.outbox<{ userId: number }>('quota-granted')).filter(({ userId }) => userId === 1),
    ).toHaveLength(1);
  });

  it('gives the super administrator the grant of the set-up instead of gifts', async () => {
    expect(await testBed.call(openAccount, { userId: 2, kind: 'setup', inviterId: 0 })).toEqual({ quota: 100_000_000 });
    expect(await postings(2)).toMatchObject([{ code: 'setup-grant', amount: '100000000' }]);
  });

  it('rewards an invitation on both sides, the inviter in the affiliate balance', async () => {
    await testBed.call(openAccount, { userId: 10, kind: 'register', inviterId: 0 });
    const code = (await balanceOf(10))?.affCode ?? '';
    expect(code).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(await testBed.call(findAffiliate, { code })).toEqual({ userId: 10 });
    await testBed.call(openAccount, { userId: 11, kind: 'register', inviterId: 10 });
    await testBed.call(openAccount, { userId: 11, kind: 'register', inviterId: 10 });
    expect(await balanceOf(11)).toMatchObject({ quota: 1200 }); // 1000 + 200
    expect(await balanceOf(10)).toMatchObject({ quota: 1000, affCount: 1, affQuota: 500, affHistoryQuota: 500 });
    const texts = (await testBed.outbox<{ userId: number; code: string; quotaText: string }>('quota-granted')).filter(
      ({ userId, code: kind }) => userId === 10 && kind === 'inviter-reward',
    );
    expect(texts).toEqual([{ userId: 10, code: 'inviter-reward', quota: 500, quotaText: '＄0.001000 额度' }]);
  });

  it('draws another affiliate code when the one drawn is taken', async () => {
    const codes = testBed.get(AffiliateCodes);
    const draw = codes.next.bind(codes);
    await testBed.call(openAccount, { userId: 15, kind: 'register', inviterId: 0 });
    const taken = (await balanceOf(15))?.affCode ?? '';
    const drawn = [taken, taken];
    codes.next = () => drawn.shift() ?? draw();
    await testBed.call(openAccount, { userId: 12, kind: 'oauth', inviterId: 0 });
    codes.next = draw;
    expect(drawn).toEqual([]);
    expect((await balanceOf(12))?.affCode).not.toBe(taken);
  });

  it('opens a wallet that a booking made before', async () => {
    await testBed.sql(`insert into "account" ("user_id", "spent") values (13, 40)`);
    expect(await testBed.call(openAccount, { userId: 13, kind: 'admin', inviterId: 0 })).toEqual({ quota: 960 });
    expect((await balanceOf(13))?.affCode).toHaveLength(8);
  });

  it('opens the wallet of a registered user whose call to open it was lost', async () => {
    await testBed.call(openAccount, { userId: 16, kind: 'register', inviterId: 0 });
    const event = toEnvelope(userRegistered, 'identity', { userId: 14, inviterId: 16, kind: 'register' });
    const record = { key: event.subject, value: JSON.stringify(event) };
    await testBed.get(EventLog).append(userRegistered.name, [record, record]);
    await eventually('the wallet is open', async () => (await balanceOf(14))?.quota !== 0);
    expect(await balanceOf(14)).toMatchObject({ quota: 1200 });
    expect(await balanceOf(16)).toMatchObject({ affCount: 1, affQuota: 500 });
  });

  it('returns zeros for a wallet that was never opened', async () => {
    expect(await balanceOf(999)).toEqual({
      userId: 999,
      quota: 0,
      usedQuota: 0,
      requestCount: 0,
      affCode: '',
      affCount: 0,
      affQuota: 0,
      affHistoryQuota: 0,
    });
  });

  it('adjusts once however often a command is sent, with the same reply each time', async () => {
    await testBed.call(openAccount, { userId: 20, kind: 'register', inviterId: 0 });
    const command = { userId: 20, delta: 250, actorId: 2, commandId: 'command-20-a' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => testBed.call(adjustQuota, command)));
    for (const reply of replies) expect(reply).toEqual({ before: 1000, after: 1250 });
    await testBed.call(adjustQuota, { userId: 20, quota: 700, actorId: 2, commandId: 'command-20-b' });
    expect(await testBed.call(adjustQuota, command)).toEqual({ before: 1000, after: 1250 });
    expect(await balanceOf(20)).toMatchObject({ quota: 700 });
    expect((await postings(20)).slice(1)).toEqual([
      { code: 'admin-adjustment', debit: 'adjustments', credit: 'wallet:20', amount: '250' },
      { code: 'admin-adjustment', debit: 'wallet:20', credit: 'adjustments', amount: '550' }, // 1250 → 700
    ]);
    const events = (await testBed.outbox<{ userId: number }>('quota-adjusted')).filter(({ userId }) => userId === 20);
    expect(events).toEqual([
      {
        userId: 20,
        actorId: 2,
        before: 1000,
        after: 1250,
        beforeText: '＄0.002000 额度',
        afterText: '＄0.002500 额度',
      },
      { userId: 20, actorId: 2, before: 1250, after: 700, beforeText: '＄0.002500 额度', afterText: '＄0.001400 额度' },
    ]);
  });

  it('posts once per idempotency key, and refuses another request under it', async () => {
    for (const userId of [23, 24]) await testBed.call(openAccount, { userId, kind: 'register', inviterId: 0 });
    const command = { userId: 23, delta: 250, actorId: 2, commandId: 'idempotency:23', fingerprint: 'request-one' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => testBed.call(adjustQuota, command)));
    for (const reply of replies) expect(reply).toEqual({ before: 1000, after: 1250 });
    for (const other of [
      { ...command, delta: 500, fingerprint: 'request-two' },
      { ...command, userId: 24, fingerprint: 'request-two' },
    ])
      await expect(testBed.call(adjustQuota, other)).rejects.toMatchObject({ code: 'idempotency-key-reused' });
    expect([await balanceOf(23), await balanceOf(24)]).toMatchObject([{ quota: 1250 }, { quota: 1000 }]);
    expect((await postings(23)).slice(1)).toHaveLength(1);
  });

  it('moves one wallet only when a key is used for two at once', async () => {
    const users = [25, 26, 27, 28];
    for (const userId of users) await testBed.call(openAccount, { userId, kind: 'register', inviterId: 0 });
    const outcomes = await Promise.allSettled(
      users.map((userId) =>
        testBed.call(adjustQuota, {
          userId,
          delta: 5,
          actorId: 2,
          commandId: 'idempotency:25',
          fingerprint: `request-${userId}`,
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const quotas = await Promise.all(users.map(async (userId) => (await balanceOf(userId))?.quota));
    expect(quotas.sort()).toEqual([1000, 1000, 1000, 1005]);
  });

  it('posts once for a key that each replica hashes differently while the secret key is replaced', async () => {
    await testBed.call(openAccount, { userId: 61, kind: 'register', inviterId: 0 });
    const names = ['old', 'new'].map((key) => ({ commandId: `idempotency:61-${key}`, fingerprint: `request-${key}` }));
    const named = [0, 1].map((at) => ({ ...names[at]!, former: [names[1 - at]!] }));
    const asked = { userId: 61, delta: 250, actorId: 2 };
    const replies = await Promise.all(
      [...named, ...named].map((name) => testBed.call(adjustQuota, { ...asked, ...name })),
    );
    for (const reply of replies) expect(reply).toEqual({ before: 1000, after: 1250 });
    expect((await postings(61)).slice(1)).toHaveLength(1);
    const other = { ...asked, delta: 500 };
    for (const { commandId, former } of named) {
      const changed = former.map((name) => ({ ...name, fingerprint: 'request-other' }));
      const wish = { ...other, commandId, fingerprint: 'request-other', former: changed };
      await expect(testBed.call(adjustQuota, wish)).rejects.toMatchObject({ code: 'idempotency-key-reused' });
    }
    expect(await balanceOf(61)).toMatchObject({ quota: 1250 });
  });

  it('keeps the reason of an adjustment in the journal', async () => {
    await testBed.call(openAccount, { userId: 22, kind: 'register', inviterId: 0 });
    await testBed.call(adjustQuota, { userId: 22, delta: 5, actorId: 2, commandId: 'command-22-a', reason: '退款 #7' });
    await testBed.call(adjustQuota, { userId: 22, delta: 5, actorId: 2, commandId: 'command-22-b' });
    const rows = await testBed.sql<{ reason: string | null }>(
      `select "reason" from "posting" where "user_id" = 22 and "code" = 'admin-adjustment' order by "id"`,
    );
    expect(rows.map(({ reason }) => reason)).toEqual(['退款 #7', null]);
  });

  it('does not set a balance by the late repetition of a command that changed nothing', async () => {
    await testBed.call(openAccount, { userId: 21, kind: 'register', inviterId: 0 });
    const command = { userId: 21, quota: 1000, actorId: 2, commandId: 'command-21-a' };
    await testBed.call(adjustQuota, command);
    await testBed.sql(`update "account" set "spent" = 300 where "user_id" = 21`);
    await testBed.call(adjustQuota, command);
    expect(await balanceOf(21)).toMatchObject({ quota: 700 });
  });

  it('refuses an adjustment that is neither or both of a value and a change', async () => {
    const command = { userId: 20, actorId: 2, commandId: 'command-20-z' };
    await expect(testBed.call(adjustQuota, command)).rejects.toMatchObject({ code: 'adjustment-ambiguous' });
    await expect(testBed.call(adjustQuota, { ...command, quota: 1, delta: 1 })).rejects.toMatchObject({
      code: 'adjustment-ambiguous',
    });
  });

  it('sets no balance below zero, but accepts the one that an overdrawn wallet has', async () => {
    await testBed.call(openAccount, { userId: 46, kind: 'register', inviterId: 0 });
    await testBed.sql(`update "account" set "spent" = 1300 where "user_id" = 46`);
    const set = (quota: number) =>
      testBed.call(adjustQuota, { userId: 46, quota, actorId: 2, commandId: `command-46${quota}` });
    expect(await set(-300)).toEqual({ before: -300, after: -300 }); // 1000 − 1300
    await expect(set(-299)).rejects.toMatchObject({
      ...{ code: 'quota-negative', message: '额度不能为负数', details: { fields: [{ path: 'quota' }] } },
    });
    expect(await balanceOf(46)).toMatchObject({ quota: -300 });
    const posted = `select 1 from "posting" where "user_id" = 46 and "code" = 'admin-adjustment'`;
    expect(await testBed.sql(posted)).toEqual([]);
  });

  it('limits a wallet, and how far a change takes it below zero, so that later payments can be counted, and states the limit', async () => {
    await testBed.call(openAccount, { userId: 40, kind: 'register', inviterId: 0 });
    const change = (wish: { quota?: number; delta?: number }, at: string) =>
      testBed.call(adjustQuota, { userId: 40, actorId: 2, commandId: `command-40-${at}`, ...wish });
    const refused = { code: 'quota-out-of-range', message: '额度超出可以保存的范围，最多为 1000000000000000' };
    await expect(change({ quota: mostBalance + 1 }, 'a')).rejects.toMatchObject(refused);
    await expect(change({ delta: mostBalance }, 'b')).rejects.toMatchObject(refused);
    expect(await change({ quota: mostBalance }, 'c')).toEqual({ before: 1000, after: mostBalance });
    await expect(change({ delta: 1 }, 'd')).rejects.toMatchObject(refused);
    expect(await balanceOf(40)).toMatchObject({ quota: mostBalance });
    expect(await change({ delta: -2 * mostBalance }, 'e')).toEqual({ before: mostBalance, after: -mostBalance });
    await expect(change({ delta: -1 }, 'f')).rejects.toMatchObject(refused);
  });

  it("registers users whose inviter's balance cannot take another reward", async () => {
    await testBed.call(openAccount, { userId: 41, kind: 'register', inviterId: 0 });
    const before = mostBalance - 499;
    await testBed.sql(`update "account" set "aff_history_quota" = ? where "user_id" = 41`, [before]);
    expect(await testBed.call(openAccount, { userId: 42, kind: 'register', inviterId: 41 })).toEqual({ quota: 1200 });
    expect(await balanceOf(41)).toMatchObject({ affCount: 1, affQuota: 0, affHistoryQuota: before });
  });

  it('counts an invitation that is rewarded, and none while inviters get nothing', async () => {
    await testBed.call(openAccount, { userId: 43, kind: 'register', inviterId: 0 });
    testBed.setOptions({ QuotaForInviter: '0' });
    expect(await testBed.call(openAccount, { userId: 44, kind: 'register', inviterId: 43 })).toEqual({ quota: 1200 });
    expect(await balanceOf(43)).toMatchObject({ affCount: 0, affQuota: 0, affHistoryQuota: 0 });
    testBed.setOptions({ QuotaForInviter: '500' });
    await testBed.call(openAccount, { userId: 45, kind: 'register', inviterId: 43 });
    expect(await balanceOf(43)).toMatchObject({ affCount: 1, affQuota: 500, affHistoryQuota: 500 });
  });

  describe('POST /api/user/aff_transfer', () => {
    const transfer = (id: number, quota: unknown) =>
      testBed.harness.request('POST', '/api/user/aff_transfer', { as: { id }, body: { quota } });

    it('moves rewards into the wallet and never more than there are', async () => {
      await testBed.call(openAccount, { userId: 30, kind: 'register', inviterId: 0 });
      await testBed.sql(`update "account" set "aff_quota" = 700000 where "user_id" = 30`);
      expect((await transfer(30, 499_999)).body).toMatchObject({
        success: false,
        message: '划转失败 转移额度最小为＄1.000000 额度！',
      });
      expect((await transfer(30, 700_001)).body).toMatchObject({
        success: false,
        message: '划转失败 邀请额度不足！',
        fields: [{ path: 'quota' }],
      });
      expect((await transfer(30, 600_000)).body).toMatchObject({ success: true, message: '划转成功' });
      expect(await balanceOf(30)).toMatchObject({ quota: 601_000, affQuota: 100_000 });
      expect((await postings(30)).at(-1)).toMatchObject({
        code: 'affiliate-transfer',
        debit: 'affiliate:30',
        credit: 'wallet:30',
        amount: '600000',
      });
    });

    it("moves nothing that would exceed the wallet's limit", async () => {
      await testBed.call(openAccount, { userId: 32, kind: 'register', inviterId: 0 });
      await testBed.sql(`update "account" set "aff_quota" = 700000, "credit" = ? where "user_id" = 32`, [
        mostBalance - 1,
      ]);
      expect((await transfer(32, 600_000)).body).toMatchObject({ success: false, code: 'quota-out-of-range' });
      expect(await balanceOf(32)).toMatchObject({ quota: mostBalance - 1, affQuota: 700_000 });
    });

    it('refuses anything but a positive integer', async () => {
      await testBed.call(openAccount, { userId: 33, kind: 'register', inviterId: 0 });
      await testBed.sql(`update "account" set "aff_quota" = 700000 where "user_id" = 33`);
      for (const quota of [0, -1, 1.5, '600000', null])
        expect((await transfer(33, quota)).body).toMatchObject({ success: false });
      expect(await balanceOf(33)).toMatchObject({ affQuota: 700_000 });
    });
  });

  it('shows the affiliate code, and creates it for a wallet without one', async () => {
    const first = await testBed.harness.request('GET', '/api/user/aff', { as: { id: 31 } });
    expect(first.body).toMatchObject({ success: true, data: expect.stringMatching(/^[A-Za-z0-9]{8}$/) as unknown });
    const second = await testBed.harness.request('GET', '/api/user/aff/', { as: { id: 31 } });
    expect(second.body.success && second.body.data).toBe(first.body.success && first.body.data);
  });
});
