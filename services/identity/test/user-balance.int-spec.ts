import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasPostgres } from '@tollgate/testing';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, auditEntriesOf, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('the balance in the form of a user', () => {
  let testBed: TestBed;
  let root: Account;
  let admin: Account;

  beforeAll(async () => {
    testBed = await startIdentity();
    root = await setUp(testBed);
    admin = await addUser(testBed, root, 10);
  }, 60_000);

  afterAll(async () => {
    await testBed.stop();
  });

  const edit = (as: Account, body: object) => testBed.request('PUT', '/api/user/', { as, body });
  const entriesOf = async (id: number) => (await auditEntriesOf(testBed, id)).length;

  it('changes a quota once per Idempotency-Key, and refuses another request with the same key', async () => {
    const user = await addUser(testBed, root);
    const keyed = async (as: Account, key: string, body: object) =>
      (await testBed.request('PUT', '/api/user/', { as, body, headers: { 'idempotency-key': key } })).body;
    const change = { id: user.id, quota_delta: 20, reason: 'a gift', display_name: 'Vera' };
    const adjusted = () => testBed.billing.adjusted.filter(({ userId }) => userId === user.id);
    const audited = () => entriesOf(user.id);

    expect(await keyed(admin, 'first-submission', change)).toEqual({ success: true, message: '' });
    const entries = await audited();
    expect(await keyed(admin, 'first-submission', change)).toEqual({ success: true, message: '' });
    expect([adjusted().length, await audited()]).toEqual([1, entries]);

    for (const other of [
      { ...change, quota_delta: 40 },
      { ...change, display_name: 'Mallory' },
    ]) {
      expect(await keyed(admin, 'first-submission', other)).toMatchObject({
        success: false,
        kind: 'conflict',
        code: 'idempotency-key-reused',
      });
    }
    expect(await testBed.em().findOneOrFail(User, user.id)).toMatchObject({ displayName: 'Vera' });
    expect((await keyed(admin, 'second-submission', change)).success).toBe(true);
    expect((await keyed(root, 'first-submission', change)).success).toBe(true);
    const ids = adjusted().map(({ commandId }) => commandId);
    expect(new Set(ids).size).toBe(3);
    for (const bad of ['short', 'x'.repeat(201), 'with a space in it'])
      expect((await keyed(admin, bad, change)).code).toBe('idempotency-key-invalid');
  });

  it('retries a quota change with the same command id after billing failed', async () => {
    const user = await addUser(testBed, root);
    const send = async () =>
      (
        await testBed.request('PUT', '/api/user/', {
          as: admin,
          body: { id: user.id, quota_delta: 20, reason: 'x' },
          headers: { 'idempotency-key': 'not-answered' },
        })
      ).body.success;
    testBed.billing.refuses = true;
    expect(await send()).toBe(false);
    testBed.billing.refuses = false;
    expect(await send()).toBe(true);
    expect(
      new Set(testBed.billing.tried.filter(({ userId }) => userId === user.id).map((call) => call.commandId)).size,
    ).toBe(1);
  });

  it('saves nothing of a form when its quota change needs an approval, and reports that', async () => {
    const user = await addUser(testBed, root);
    const form = { id: user.id, username: user.username, display_name: 'Vera', group: 'vip', quota: 9_000_000 };
    testBed.billing.needsApproval = true;
    try {
      const { body } = await edit(admin, form);
      expect(body).toMatchObject({
        success: false,
        code: 'approval-required',
        message: '已提交审批申请 #1；其他修改未保存',
      });
      const { body: alone } = await edit(admin, { id: user.id, username: user.username, group: 'default', quota: 9 });
      expect(alone.message).toBe('已提交审批申请 #1');
      const above = await addUser(testBed, root, 10);
      expect((await edit(admin, { id: above.id, quota: 9_000_000 })).body.code).toBe('user-of-equal-or-higher-rank');
    } finally {
      testBed.billing.needsApproval = false;
    }
    expect(await testBed.em().findOneOrFail(User, user.id)).toMatchObject({
      displayName: user.username,
      group: 'default',
    });
    expect(testBed.billing.adjusted.filter(({ userId }) => userId === user.id)).toEqual([]);
    expect((await edit(admin, form)).body.success).toBe(true);
    expect(await testBed.em().findOneOrFail(User, user.id)).toMatchObject({ displayName: 'Vera', group: 'vip' });
  });

  it('changes the balance only after the other fields are saved, also with an older release of billing', async () => {
    const user = await addUser(testBed, root);
    const other = await addUser(testBed, root);
    testBed.billing.isOfBefore = true;
    try {
      const taken = await edit(admin, { id: user.id, username: other.username, quota: 9 });
      expect(taken.body.success).toBe(false);
      expect(testBed.billing.tried.filter(({ userId }) => userId === user.id)).toEqual([]);
      expect((await edit(admin, { id: user.id, quota: 9 })).body.success).toBe(true);
    } finally {
      testBed.billing.isOfBefore = false;
    }
    expect(testBed.billing.adjusted.filter(({ userId }) => userId === user.id)).toHaveLength(1);
  });

  it('saves nothing when billing refuses the signature of the caller', async () => {
    const user = await addUser(testBed, root);
    testBed.billing.isStrange = true;
    try {
      const refused = await edit(admin, { id: user.id, display_name: 'Vera', quota: 9 });
      expect(refused.body).toMatchObject({ success: false, code: 'service-unknown' });
    } finally {
      testBed.billing.isStrange = false;
    }
    expect(await testBed.em().findOneOrFail(User, user.id)).toMatchObject({ displayName: user.username });
    expect(testBed.billing.tried.filter(({ userId }) => userId === user.id)).toEqual([]);
  });
});
