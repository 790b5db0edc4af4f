import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminAction,
  channelDisabled,
  noteRefusedCalls,
  personOfLogging,
  type PersonPage,
  quotaGranted,
  requestConsumed,
  userErased,
} from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { v7 } from 'uuid';
import { LogClearService } from '../src/retention/log-clear.service.js';
import { UserErasedConsumer } from '../src/person/user-erased.consumer.js';
import { sweepPerson } from '../src/person/sweep.js';
import { LogStore } from '../src/store/log-store.js';
import { consumed, type TestBed, startLogging } from './test-bed.js';

type Row = Record<string, unknown>;

describe('erased people in the logs', () => {
  let testBed: TestBed;
  beforeAll(async () => {
    testBed = await startLogging();
    testBed.setOptions({ LogConsumeEnabled: 'true', DataExportEnabled: 'true' });
    testBed.neighbours.names.tokens.set(9, "Ada's laptop");
    testBed.neighbours.names.channels.set(3, 'provider');
  }, 120_000);
  afterAll(() => testBed?.close());

  const rows = (table: string, where: string, values: unknown[]) =>
    testBed.em().execute<Row[]>(`select * from "${table}" where ${where} order by 1, 2`, values);
  const logsOf = (userId: number) => rows('log', '"user_id" = ?', [userId]);
  const hoursOf = (userId: number) => rows('quota_hour', '"user_id" = ?', [userId]);
  const person = () => testBed.get(UserErasedConsumer);
  const erased = (userId: number) => testBed.newEvent(userErased, { userId, pseudonym: `erased-${userId}` });
  const failed = (userId: number, id = v7()) =>
    consumed(
      {
        userId,
        quota: 0,
        outcome: 'failed',
        error: { code: 'bad', status: 400, message: 'Ada asked for something odd' },
        attempts: [
          { channelId: 3, channelType: 1, class: 'invalid', status: 400, durationMs: 5, message: 'Ada asked' },
        ],
      },
      id,
    );
  const change = (userId: number) =>
    testBed.newEvent(adminAction, {
      actorId: 1,
      action: 'user-update',
      subject: `user:${userId}`,
      before: { username: 'ada', displayName: 'Ada Lovelace', group: 'default' },
      after: { username: 'ada2', displayName: 'Ada Lovelace', group: 'vip', passwordChanged: true },
    });
  const refusal = (userId: number) => ({
    batchId: v7(),
    rows: [
      {
        ...{ minute: Math.floor(Date.now() / 60_000) * 60, reason: 'token-address', status: 403 },
        ...{ message: 'Ada came from 203.0.113.7', tokenId: 9, userId, model: 'm', count: 2, requestIds: [] },
      },
    ],
  });
  /** A user with rows of every kind, renamed within an hour. */
  async function ada(): Promise<number> {
    const userId = testBed.newUser();
    testBed.neighbours.names.users.set(userId, 'ada');
    await testBed.publish(consumed({ userId }), failed(userId), change(userId));
    await testBed.publish(
      testBed.newEvent(quotaGranted, { userId, code: 'new-user-gift', quota: 5, quotaText: '5 点额度' }),
      consumed({ userId }),
    );
    await testBed.em().execute(`update "log" set "username" = 'ada2' where "user_id" = ? and "type" = 4`, [userId]);
    await testBed.em().execute(
      `insert into "quota_hour" ("user_id", "username", "model_name", "hour", "count", "quota", "token_used", "logged_quota")
         select "user_id", 'ada2', "model_name", "hour", 1, 7, 3, 7 from "quota_hour" where "user_id" = ?`,
      [userId],
    );
    await testBed.internal(noteRefusedCalls, refusal(userId));
    return userId;
  }
  async function publishErased(userId: number): Promise<void> {
    await testBed.publish(erased(userId));
    await untilSwept(userId);
  }
  /** The service's own periodic run may be processing the same user. */
  async function untilSwept(userId: number, passes = 1): Promise<void> {
    await eventually(`pass ${passes} over the data of user ${userId}`, async () => {
      await testBed.inContext(() => person().erased.run()).catch(() => undefined);
      const [row] = await rows('erased_user', '"user_id" = ?', [userId]);
      return Number(row?.['passes']) >= passes;
    });
  }
  /** Without event ids, whose hexadecimal digits may contain the searched letters. */
  const everything = async (userId: number): Promise<string> =>
    JSON.stringify([
      await logsOf(userId),
      await hoursOf(userId),
      await rows('refused_calls', '"user_id" = ?', [userId]),
      await rows('audit_entry', '"subject" = ?', [`user:${userId}`]),
    ]).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');

  it('lose their names and texts, but keep their sums', async () => {
    const userId = await ada();
    const before = await logsOf(userId);
    await publishErased(userId);
    const after = await logsOf(userId);
    expect(await everything(userId)).not.toMatch(/ada/i);
    expect(after.map(({ username }) => username)).toEqual(after.map(() => `erased-${userId}`));
    const numbers = ({
      id,
      quota,
      prompt_tokens,
      completion_tokens,
      type,
      model_name,
      channel_id,
      created_at,
    }: Row) => ({ id, quota, prompt_tokens, completion_tokens, type, model_name, channel_id, created_at });
    expect(after.map(numbers)).toEqual(before.map(numbers));
    expect(after.find(({ type }) => type === 2)).toMatchObject({ content: expect.stringContaining('模型倍率') });
    expect(await hoursOf(userId)).toMatchObject([
      { username: `erased-${userId}`, count: '3', quota: '457', logged_quota: '457' },
    ]);
    const [entry] = await rows('audit_entry', '"subject" = ?', [`user:${userId}`]);
    expect(entry).toMatchObject({
      action: 'user-update',
      before: { group: 'default' },
      after: { group: 'vip', passwordChanged: true },
    });
  });

  it('are not named by rows that arrive late or were written meanwhile', async () => {
    const userId = await ada();
    await publishErased(userId);
    // The name may still be cached for a moment.
    await testBed.publish(consumed({ userId }), failed(userId), change(userId));
    await testBed.internal(noteRefusedCalls, refusal(userId));
    expect(await everything(userId)).not.toMatch(/ada/i);
    expect(await hoursOf(userId)).toHaveLength(1);

    await testBed.em().execute(`update "log" set "username" = 'ada' where "user_id" = ?`, [userId]);
    await testBed.em().execute(`update "erased_user" set "next_pass_at" = now() where "user_id" = ?`, [userId]);
    await untilSwept(userId, 2);
    expect(await everything(userId)).not.toMatch(/ada/i);
    expect(await rows('erased_user', '"user_id" = ?', [userId])).toMatchObject([{ passes: 2, next_pass_at: null }]);
    await publishErased(userId);
    expect(await rows('erased_user', '"user_id" = ?', [userId])).toMatchObject([{ passes: 2, next_pass_at: null }]);
  });

  it('keep all names when a pass is interrupted, until the next pass', async () => {
    const userId = await ada();
    const before = await everything(userId);
    const breaking = testBed.em().transactional(async (em) => {
      await sweepPerson(testBed.get(LogStore), em as never, { userId, pseudonym: `erased-${userId}`, mark: null });
      throw new Error('killed');
    });
    await expect(breaking).rejects.toThrow('killed');
    expect(await everything(userId)).toBe(before);
    await publishErased(userId);
    expect(await everything(userId)).not.toMatch(/ada/i);
  });

  it('are erased a few hours at a time, rows and sums together, in short batches', async () => {
    const userId = await ada();
    const hour = 3600;
    await testBed.em().execute(
      `insert into "log" ("event_id", "created_at", "user_id", "type", "username", "model_name", "quota")
         select gen_random_uuid(), ${hour} * h + n, ?, 2, 'ada', 'm', 1 from generate_series(1, 3) h, generate_series(0, 2) n`,
      [userId],
    );
    await testBed.em().execute(
      `insert into "quota_hour" ("user_id", "username", "model_name", "hour", "count", "quota", "token_used", "logged_quota")
         select ?, 'ada', 'm', ${hour} * h, 3, 3, 0, 3 from generate_series(1, 4) h`,
      [userId],
    );
    const sweep = (mark: string | null) =>
      testBed
        .em()
        .transactional((em) =>
          sweepPerson(testBed.get(LogStore), em as never, { userId, pseudonym: `erased-${userId}`, mark }, 4),
        );
    const named = async () => [
      (await rows('log', `"user_id" = ? and "type" = 2 and "username" like 'ada%'`, [userId])).length,
      (await rows('quota_hour', `"user_id" = ? and "username" like 'ada%'`, [userId])).length,
    ];
    const before = await named();
    const mark = await sweep(null);
    expect(mark).toBe(String(3 * hour));
    expect(await named()).toEqual([(before[0] ?? 0) - 6, (before[1] ?? 0) - 2]);
    expect((await rows('audit_entry', '"subject" = ?', [`user:${userId}`])).at(0)?.['after']).toHaveProperty(
      'username',
    );
    let next = mark;
    for (let batches = 0; next !== null && batches < 5; batches += 1) next = await sweep(next);
    expect(next).toBeNull();
    expect(await everything(userId)).not.toMatch(/ada/i);
  });

  it('do not wait for a person whose rows cannot be changed', async () => {
    const [stuck, other] = [await ada(), await ada()];
    const check = 'alter table "refused_calls"';
    await testBed.em().execute(`${check} add constraint "stuck" check ("user_id" <> ${stuck} or "message" <> '')`);
    try {
      await testBed.publish(erased(stuck));
      await testBed.em().execute(`update "erased_user" set "next_pass_at" = '2000-01-01' where "user_id" = ?`, [stuck]);
      await publishErased(other);
      expect(await everything(stuck)).toMatch(/ada/i);
      const [note] = await rows('erased_user', '"user_id" = ? and "next_pass_at" > now()', [stuck]);
      expect(note).toMatchObject({ passes: 0 });
    } finally {
      await testBed.em().execute(`${check} drop constraint "stuck"`);
    }
    await testBed.em().execute(`update "erased_user" set "next_pass_at" = now() where "user_id" = ?`, [stuck]);
    await untilSwept(stuck);
    expect(await everything(stuck)).not.toMatch(/ada/i);
  });

  it('leave sums that clearing the log reduces to zero', async () => {
    const userId = await ada();
    await testBed.em().execute(`delete from "quota_hour" where "user_id" = ? and "username" = 'ada2'`, [userId]);
    await publishErased(userId);
    await testBed.inContext(() => testBed.get(LogClearService).clear(Math.floor(Date.now() / 1000) + 60, 1));
    expect(await hoursOf(userId)).toMatchObject([{ logged_quota: '0', quota: '450' }]);
  });

  it('leave the protection of audit entries in force', async () => {
    await testBed.publish(
      testBed.newEvent(channelDisabled, { channelId: 7, name: 'c', automatic: true, reason: 'bad' }),
    );
    const rewrite = (set: string) =>
      testBed.em().transactional(async (em) => {
        await em.execute(`select set_config('tollgate.erasing', 'on', true)`);
        await em.execute(`update "audit_entry" set ${set} where "subject" = 'channel:7'`);
      });
    await expect(rewrite(`"after" = '{"name":"other"}'`)).rejects.toThrow('append-only');
    await expect(rewrite(`"actor_id" = 5, "text" = ''`)).rejects.toThrow('append-only');
    await expect(testBed.em().execute(`delete from "audit_entry"`)).rejects.toThrow('append-only');
  });

  it('are exported page by page, in order and without gaps, in the form for the person', async () => {
    const userId = testBed.newUser();
    const at = new Date(Date.now() - 60_000).toISOString();
    await testBed.publishBatch(
      Array.from({ length: 1_005 }, () => ({ ...consumed({ userId, startedAt: at }), type: requestConsumed.name })),
    );
    await testBed.publish(change(userId));
    await testBed.internal(noteRefusedCalls, refusal(userId));
    const read = (section: 'logs' | 'refused_calls' | 'audit', after: string | null = null): Promise<PersonPage> =>
      testBed.internal(personOfLogging, { userId, section, after });
    const first = await read('logs');
    const second = await read('logs', first.next);
    expect([first.rows.length, second.rows.length, second.next]).toEqual([1_000, 5, null]);
    expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(1_005);
    expect(first.rows[0]).toMatchObject({ user_id: userId, channel: 0, channel_name: '' });
    expect(JSON.stringify(first.rows)).not.toContain('admin_info');
    expect((await read('refused_calls')).rows).toMatchObject([{ message: 'Ada came from 203.0.113.7', count: 2 }]);
    const told = { actorId: 1, subject: 'approval:7', userId, after: { reason: 'Bob says so', note: 'no' } };
    await testBed.publish(
      testBed.newEvent(adminAction, { ...told, action: 'approval-request' }),
      testBed.newEvent(adminAction, {
        ...told,
        action: 'token-budget',
        subject: 'token:9',
        before: { remain_quota: 4 },
      }),
      testBed.newEvent(adminAction, {
        ...{ actorId: 1, action: 'charges-correct', subject: `user:${userId}`, userId },
        after: { quota: 5, reason: 'Bob says so', approvedBy: 3 },
      }),
    );
    const unattended = { actorId: userId, unattended: true, subject: `user:${userId}` };
    await testBed.publish(testBed.newEvent(adminAction, { ...unattended, action: 'user-remove-factors' }));
    expect(
      await rows('audit_entry', `"action" = 'user-remove-factors' and "subject" = ?`, [`user:${userId}`]),
    ).toMatchObject([{ actor_id: null }]);
    const audit = await read('audit');
    expect(audit.next).toBeNull();
    expect(audit.rows).toEqual([
      expect.objectContaining({
        action: 'user-update',
        after: expect.objectContaining({ displayName: 'Ada Lovelace' }),
      }),
      expect.objectContaining({ action: 'token-budget', subject: 'token:9', before: { remain_quota: 4 }, after: {} }),
      expect.objectContaining({ action: 'charges-correct', after: { quota: 5 } }),
      expect.objectContaining({ action: 'user-remove-factors' }),
    ]);
    expect(audit.rows[0]).toMatchObject({ created_at: expect.any(Number) });
  });
});
