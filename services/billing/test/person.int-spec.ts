import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adjustQuota,
  personOfBilling,
  type PersonPage,
  resolveTokens,
  nameTokens,
  userErased,
} from '@tollgate/contracts';
import type { Token } from '@tollgate/contracts/api/token';
import { toEnvelope } from '@tollgate/chassis';
import { eventually, hasPostgres, isWaitedFor } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { UserErasedConsumer } from '../src/person/user-erased.consumer.js';
import { auditChains, type ChainAudit } from '../src/seal/chain-audit.js';
import { Sealer } from '../src/seal/sealer.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('people in the books', () => {
  let testBed: BillingTestBed;
  let nextUser = 900;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed?.close());

  const read = (userId: number, section: (typeof personOfBilling.sections)[number], after: string | null = null) =>
    testBed.call(personOfBilling, { userId, section, after });
  const newToken = async (userId: number, name: string): Promise<Token> => {
    const as = { id: userId };
    await testBed.harness.request('POST', '/api/token/', {
      as,
      body: { name, remain_quota: 10, allow_ips: '203.0.113.7' },
    });
    const { body } = await testBed.harness.request('GET', '/api/token/', { as });
    const [token] = body.data as Token[];
    if (!token) throw new Error('no token');
    return token;
  };
  const spend = async (userId: number, tokenId = 0): Promise<void> => {
    const event = consumed({ userId, tokenId, quota: 4 }, uuidv7());
    await testBed.inContext(() => testBed.get(BookingService).book([event]));
  };
  const paidOrder = (userId: number) =>
    testBed.sql(
      `with o as (insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at", "paid_at")
         values (?, ?, 'stripe', 'card', '1', 'paid', 1, 2000, '7.30', 'USD', now(), now(), now()) returning *)
       insert into "top_up_step" ("order_id", "trade_no", "happened_at", "kind", "verdict", "raw")
       select "id", "trade_no", now(), 'callback', 'credited', '{"customer_details":{"name":"Ada"}}' from o`,
      [userId, `T${userId}`],
    );
  async function ada(): Promise<{ userId: number; token: Token }> {
    const userId = (nextUser += 1);
    const commandId = `command-${uuidv7()}`;
    await testBed.call(adjustQuota, { userId, delta: 1000, actorId: 1, commandId, reason: 'for Ada' });
    const token = await newToken(userId, "Ada's laptop");
    await spend(userId, token.id);
    await paidOrder(userId);
    return { userId, token };
  }
  const erase = (userId: number): Promise<void> =>
    testBed.inContext(async () => {
      const { erased } = testBed.get(UserErasedConsumer);
      const event = toEnvelope(userErased, 'identity', { userId, pseudonym: `erased-${userId}` });
      await erased.note([event, event]);
      // The service's own erasure job may be running at the same time.
      for (let passes = 0; passes === 0;) {
        await erased.run();
        const [row] = await testBed.sql<{ passes: number }>('select "passes" from "erased_user" where "user_id" = ?', [
          userId,
        ]);
        passes = row?.passes ?? 0;
      }
    });
  const connected = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: testBed.harness.host.env.DATABASE_URL });
    await client.connect();
    try {
      await client.query('set search_path = billing');
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const sealed = async (): Promise<ChainAudit> => {
    await testBed.inContext(() => testBed.get(Sealer).seal());
    return connected((client) =>
      auditChains(
        async <Row extends object>(text: string, values: unknown[] = []) =>
          (await client.query<Row>(text, values)).rows,
      ),
    );
  };

  it('are read as they see themselves, page by page, without a key', async () => {
    const { userId, token } = await ada();
    expect((await read(userId, 'wallet')).rows).toMatchObject([{ userId, quota: 996, usedQuota: 4, requestCount: 1 }]);
    const tokens = await read(userId, 'tokens');
    expect(tokens.rows).toMatchObject([{ id: token.id, name: "Ada's laptop", allow_ips: '203.0.113.7' }]);
    expect(JSON.stringify(tokens)).not.toContain(token.key);
    expect((await read(userId, 'orders')).rows).toMatchObject([
      { trade_no: `T${userId}`, status: 'paid', steps: [{ verdict: 'credited' }] },
    ]);
    expect(JSON.stringify(await read(userId, 'orders'))).not.toContain('customer_details');
    expect((await read(userId, 'journal')).rows.map(({ code }) => code)).toEqual([
      'admin-adjustment',
      'token-budget',
      'consumption',
    ]);
    expect(JSON.stringify(await read(userId, 'journal'))).not.toContain('for Ada');
    for (const section of ['redemptions', 'approvals'] as const)
      expect(await read(userId, section)).toEqual({ rows: [], next: null });
  });

  it('have a journal of any length', async () => {
    const userId = (nextUser += 1);
    const events = Array.from({ length: 1_003 }, () => consumed({ userId, quota: 1 }, uuidv7()));
    await testBed.inContext(() => testBed.get(BookingService).book(events));
    const ids: unknown[] = [];
    for (let page: PersonPage = { rows: [], next: '' }; page.next !== null; ids.push(...page.rows.map(({ id }) => id)))
      page = await read(userId, 'journal', page.next === '' ? null : page.next);
    expect(ids).toEqual(events.map(({ id }) => id));
  });

  it('lose their keys also while a booking, which locks several of them at once, uses up one', async () => {
    const { userId } = await ada();
    const second = await newToken(userId, "Ada's phone");
    await connected(async (client) => {
      await client.query('begin');
      await client.query('select 1 from "token" where "id" = $1 for update', [second.id]);
      const erased = erase(userId);
      await eventually('the erasure waits for the token', () => isWaitedFor((sql) => client.query(sql)));
      await client.query(`update "change_revision" set "value" = "value" + 1 where "name" = 'token'`);
      await client.query('commit');
      await erased;
    });
    expect((await testBed.call(resolveTokens, { ids: [second.id] })).tokens).toEqual([]);
  });

  it('lose their keys and what names them, while the sealed journal stays valid', async () => {
    const { userId, token } = await ada();
    await testBed.sql(
      `insert into "approval" ("kind", "command", "user_id", "token_id", "change", "subject", "payload", "requester_id", "created_at", "expires_at")
         values ('token-budget', 'token-budget:' || gen_random_uuid(), ?, ?, 9, 'Ada''s laptop', '{}', 2, now(), now())`,
      [userId, token.id],
    );
    const journal = await read(userId, 'journal');
    expect((await sealed()).faults).toEqual([]);
    await erase(userId);
    expect((await testBed.call(resolveTokens, { ids: [token.id] })).tokens).toEqual([]);
    expect((await testBed.call(nameTokens, { ids: [token.id] })).names).toEqual({ [token.id]: '' });
    const [row] = await testBed.sql<Record<string, unknown>>('select * from "token" where "id" = ?', [token.id]);
    expect(row).toMatchObject({ name: '', key_sealed: '', allow_ips: '', credit: '10', spent: '4' });
    const approvals = await read(userId, 'approvals');
    expect(approvals.rows).toMatchObject([{ kind: 'token-budget', token_id: token.id, change: 9, subject: '' }]);
    const changed = await testBed.outbox<{ tokenId: number }>('token-changed');
    expect(changed.at(-1)).toMatchObject({ tokenId: token.id, userId });
    const steps = await testBed.sql<{ raw: string | null; verdict: string }>(
      'select "raw", "verdict" from "top_up_step" where "trade_no" = ?',
      [`T${userId}`],
    );
    expect(steps).toEqual([{ raw: null, verdict: 'credited' }]);
    expect(await read(userId, 'journal')).toEqual(journal);
    expect((await read(userId, 'wallet')).rows).toMatchObject([{ quota: 996 }]);
    // Calls that were running when the tokens ended are booked as usual.
    await spend(userId, token.id);
    expect((await read(userId, 'wallet')).rows).toMatchObject([{ quota: 992 }]);
    const audit = await sealed();
    expect(audit.faults).toEqual([]);
    const count = changed.length;
    await erase(userId);
    expect(await testBed.outbox('token-changed')).toHaveLength(count);
  });

  it('leave steps of orders that cannot be changed otherwise', async () => {
    await ada();
    const rewrite = (set: string) =>
      connected(async (client) => {
        await client.query(`set tollgate.erasing = 'on'`);
        await client.query(`update "top_up_step" set ${set}`);
      });
    await expect(rewrite(`"verdict" = 'late', "raw" = null`)).rejects.toThrow('append-only');
    await expect(rewrite(`"raw" = 'other'`)).rejects.toThrow('append-only');
    await expect(testBed.sql('delete from "top_up_step"')).rejects.toThrow('append-only');
  });
});
