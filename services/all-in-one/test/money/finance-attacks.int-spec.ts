import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  bookedByNow,
  type SubmittedRun,
  submitCorrections,
  ratingFault,
  readPrices,
  Rerating,
} from '@tollgate/billing';
import { Logger, OptionStore } from '@tollgate/chassis';
import type { PriceDocument } from '@tollgate/contracts';
import type { Approval } from '@tollgate/contracts/api/approval';
import type { Statement } from '@tollgate/contracts/api/statement';
import { appendToTable, reconcile, tableReader } from '@tollgate/operations';
import {
  EPAY_ID,
  EPAY_KEY,
  eventually,
  type FakeUpstream,
  type Person,
  readUntil,
  type TestBed,
  startEpayGateway,
  startFakeUpstream,
  startTestBed,
} from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { allServices } from '../../src/index.js';
import { ask } from '../support/relay-site.js';
import { withClient } from './reconcile-site.js';

const log = Logger.root('silent');
const DAY_MS = 86_400_000;
/** The digest of a submitted run, computed in the same way as the product does. */
const digestOf = (rows: readonly Record<string, unknown>[]): string => {
  const columns = ['request_id', 'user_id', 'token_id', 'model', 'group', 'channel_id', 'charged', 'rerated'];
  const lines = rows.map((row) => `${columns.map((name) => String(row[name])).join('\u001f')}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
};
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Hostile or hasty actions; after each of them all stores must agree. */
describe('corrections, refunds and costs', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let channel: number;
  let [second, third]: Person[] = [];
  const url = (): string => testBed.host.env.DATABASE_URL ?? '';
  const sql = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    withClient(url(), (query) => query<Row>(text, values));

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    testBed = await startTestBed(allServices);
    channel = await testBed.channel({ name: 'books', base_url: upstream.url, models: 'gpt-4o' });
    [second, third] = [await administrator('second'), await administrator('third')];
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  async function administrator(name: string): Promise<Person> {
    const person = await testBed.user(name, 0);
    await testBed.root.data('POST', '/api/user/manage', { id: person.id, action: 'promote' });
    return person;
  }

  const expectTrueBooks = async (): Promise<void> => {
    const look = () =>
      reconcile({
        ...{ services: allServices, url: url(), log, rate: ratingFault, patienceMs: 300 },
        period: { to: Date.now() + 60_000 },
      });
    expect((await readUntil(look, ({ balanced }) => balanced, 15_000)).faults).toEqual([]);
  };
  const codeOf = ({ body }: { body: object }): string => {
    const { success, code } = body as { success: boolean; code?: string };
    return success ? 'done' : (code ?? 'no code');
  };
  const sorted = async (codes: readonly Promise<string>[]): Promise<string[]> => (await Promise.all(codes)).sort();

  const booked = (userId: number, count: number) =>
    readUntil(
      () =>
        sql<{ n: number }>(`select count(*)::int as n from posting where code = 'consumption' and user_id = $1`, [
          userId,
        ]),
      ([row]) => row?.n === count,
      20_000,
    );
  const call = async (key: string, times: number): Promise<void> => {
    for (let index = 0; index < times; index += 1)
      await (await ask(testBed.url, { dialect: 'openai', key, prompt: `number ${index}` })).text();
  };
  /** A user with this number of charged calls. */
  const charged = async (name: string, times: number, token: object = {}) => {
    const user = await testBed.user(name, 5_000_000);
    const key = await testBed.token(user, { ...token });
    await call(key, times);
    await booked(user.id, times);
    return { user, key };
  };
  const spentOf = async (userId: number): Promise<number> =>
    Number((await sql<{ spent: string }>(`select spent from account where user_id = $1`, [userId]))[0]?.spent);

  /** Rates as the command does: by the current prices with changes, compared with the charge after all corrections. */
  const rerate = async (change: Partial<PriceDocument>): Promise<Rerating> =>
    withClient(url(), async (query) => {
      const [row] = await query<{ document: PriceDocument }>(
        `select v."document" from "price_version" v join "price_publication" p on p."price_version" = v."id" order by p."revision" desc limit 1`,
      );
      const other = readPrices(JSON.stringify({ ...row?.document, ...change }));
      const rerating = new Rerating({
        ...{ from: 0, to: Date.now() + 1000, documents: new Map(), other },
        async bookedOf(wanted) {
          const now = [...(await bookedByNow(query, wanted))].filter(([, { isRefunded }]) => !isRefunded);
          return new Map(now.map(([id, { charged: units }]) => [id, units]));
        },
      });
      const client = new Client({ connectionString: url() });
      await client.connect();
      await tableReader(client)('request-consumed', (records) => rerating.take(records)).finally(() => client.end());
      return rerating;
    });
  const byRatio = (ratio: number): Promise<Rerating> => rerate({ groupRatio: { default: ratio } });
  const submit = ({ differences }: Rerating, users: readonly Person[], requestedBy = 1): Promise<SubmittedRun[]> => {
    const ids = new Set(users.map(({ id }) => id));
    const wanted = differences.filter(({ userId }) => ids.has(userId));
    return withClient(url(), (query) => submitCorrections(query, wanted, { reason: 'other prices', requestedBy }));
  };
  const approve = async (id: number | undefined, by = second): Promise<string> =>
    codeOf(await by!.call('POST', `/api/approval/${id}/approve`, {}));

  it('post one of several simultaneously approved re-rating runs, during calls and price changes', async () => {
    const { user, key } = await charged('several', 5, { unlimited_quota: false, remain_quota: 100_000 });
    const ratings = await Promise.all([2, 3, 4].map(byRatio));
    const runs = (await Promise.all(ratings.map((rating) => submit(rating, [user])))).flat();
    expect(runs).toHaveLength(3);
    const calls = call(key, 5);
    await testBed.root.data('PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1.5}' });
    const codes = await sorted(runs.flatMap(({ approvalId: id }) => [approve(id, second), approve(id, third)]));
    await calls;
    await testBed.root.data('PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1}' });
    await booked(user.id, 10);
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    const rows = await sql<{ run: string }>(
      `select distinct substring(reason from 'run [0-9]+') as run from posting where code = 'correction' and user_id = $1`,
      [user.id],
    );
    expect(rows).toHaveLength(1);
    await expectTrueBooks();
  }, 120_000);

  it('leave a closed period as sealed, and correct late charges too', async () => {
    const { user } = await charged('earlier', 1);
    const [record] = await sql<{ value: string; key: string }>(
      `select value, key from event_log.record where topic = 'request-consumed' and value like '%"userId":${user.id},%' limit 1`,
    );
    const daysAgo = (days: number) => {
      const event = JSON.parse(record?.value ?? '') as { data: object };
      const at = Date.now() - days * DAY_MS;
      const time = new Date(at).toISOString();
      const data = { ...event.data, startedAt: time };
      return { key: record?.key ?? '', value: JSON.stringify({ ...event, id: uuidv7({ msecs: at }), time, data }) };
    };
    const tell = (...records: ReturnType<typeof daysAgo>[]) =>
      appendToTable({ url: url(), log, topic: 'request-consumed', records });
    await tell(daysAgo(3), daysAgo(2));
    await booked(user.id, 3);
    const until = dayOf(Date.now() - DAY_MS);
    const { id } = await testBed.root.data<{ id: number }>('POST', '/api/period/close', { last_day: until, note: 'x' });
    const [run] = await submit(await byRatio(2), [user]);
    expect([run?.requests, await approve(run?.approvalId)]).toEqual([3, 'done']);
    await tell(daysAgo(3));
    await booked(user.id, 4);
    const [again] = await submit(await byRatio(0), [user]);
    expect([again?.requests, await approve(again?.approvalId)]).toEqual([4, 'done']);
    expect(await spentOf(user.id)).toBe(0);
    expect(await testBed.root.data('GET', `/api/period/${id}/check`)).toMatchObject({
      matches: true,
      signature: 'valid',
    });
    await expectTrueBooks();
  }, 120_000);

  it('are posted for deleted users and keys, but not after the requester was removed', async () => {
    const budget = { unlimited_quota: false, remain_quota: 100_000 };
    const [gone, keyless] = [await charged('gone', 2, budget), await charged('keyless', 2, budget)];
    const users = [gone.user, keyless.user];
    const leaver = await administrator('leaver');
    const [run] = await submit(await byRatio(3), users);
    const [ofLeaver] = await submit(await byRatio(4), users, leaver.id);
    const [ofNobody] = await submit(await byRatio(5), users, 99_999);
    const [token] = await keyless.user.data<{ id: number }[]>('GET', '/api/token/?p=0&size=10');
    await keyless.user.data('DELETE', `/api/token/${token?.id}`);
    for (const { id } of [gone.user, leaver]) await testBed.root.data('DELETE', `/api/user/${id}`);
    for (const { approvalId } of [ofLeaver!, ofNobody!])
      expect(await approve(approvalId)).toBe('approval-requester-gone');
    expect(await approve(run?.approvalId)).toBe('done');
    await expectTrueBooks();
  }, 120_000);

  it('are refused for absurd prices: negative, or too large to be counted or owed', async () => {
    const { user } = await charged('rich', 5);
    const before = await spentOf(user.id);
    await expect(byRatio(-2)).rejects.toThrow(/groupRatio.default is not from 0/);
    // Each of the charges would be 2 × 10¹⁵ units.
    const absurd = { modelPrice: { 'gpt-4o': 1e6 }, groupRatio: { default: 1e6 }, quotaPerUnit: 2_000 };
    const rating = await rerate(absurd);
    const own = rating.differences.filter(({ userId }) => userId === user.id);
    expect(own).toHaveLength(5);
    await expect(submit(rating, [user])).rejects.toThrow(/more than can be counted/);
    const [one] = await submit({ ...rating, differences: own.slice(0, 1) } as Rerating, [user]);
    expect(await approve(one?.approvalId)).toBe('quota-out-of-range');
    expect(await spentOf(user.id)).toBe(before);
    expect(codeOf(await second!.call('GET', `/api/approval/${one?.approvalId}/correction`))).toBe('done');
    expect(codeOf(await second!.call('POST', `/api/approval/${one?.approvalId}/refuse`, { note: 'no' }))).toBe('done');
    await expectTrueBooks();
  }, 120_000);

  it('are posted only to the user and token that the journal charged, whatever the archive states', async () => {
    const [{ user }, other] = [await charged('charged', 1), await testBed.user('other', 1_000)];
    const { differences } = await byRatio(9);
    const own = differences.filter(({ userId }) => userId === user.id);
    expect(own).toHaveLength(1);
    for (const change of [{ userId: other.id }, { tokenId: 99_999 }]) {
      const forged = { differences: own.map((row) => ({ ...row, ...change })) } as Rerating;
      await expect(submit(forged, [user, other])).rejects.toThrow(/is of another user or key/);
    }
    // A run whose rows and digest were written directly into the database.
    const [run] = await submit({ differences: own } as Rerating, [user]);
    await sql(`alter table correction_row disable trigger user`);
    await sql(`update correction_row set user_id = $1 where approval_id = $2`, [other.id, run?.approvalId]);
    await sql(`alter table correction_row enable trigger user`);
    const digest = digestOf(
      await sql(`select * from correction_row where approval_id = $1 order by number`, [run?.approvalId]),
    );
    await sql(`update approval set payload = payload || jsonb_build_object('digest', $1::text) where id = $2`, [
      digest,
      run?.approvalId,
    ]);
    expect(await approve(run?.approvalId)).toBe('correction-altered');
    expect([await spentOf(user.id), await spentOf(other.id)]).toEqual([own[0]?.charged, 0]);
    await expectTrueBooks();
  }, 120_000);

  it('take the quota of a refunded order back once, also from a deleted user', async () => {
    const gateway = await startEpayGateway();
    const { root, url: at } = testBed;
    const setLimit = async (value: string): Promise<void> => {
      await root.data('PUT', '/api/option/', { key: 'RefundApprovalLimit', value });
      const options = testBed.process.services.get('billing')!.app.get(OptionStore);
      await eventually('billing knows the limit', () => String(options.get('RefundApprovalLimit')) === value);
    };
    try {
      const options = { ServerAddress: at, PayAddress: gateway.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY };
      for (const [key, value] of Object.entries(options)) await root.data('PUT', '/api/option/', { key, value });
      await setLimit('1');
      const payer = await testBed.user('payer', 0);
      const pay = async (): Promise<number> => {
        const { body } = await payer.call<Record<string, string>>('POST', '/api/user/pay', {
          amount: 1,
          payment_method: 'zfb',
        });
        await fetch(`${gateway.url}/submit.php`, { method: 'POST', body: new URLSearchParams(body.data) });
        const tradeNo = body.data?.['out_trade_no'] ?? '';
        await gateway.notify(tradeNo);
        return (await sql<{ id: number }>(`select id from top_up_order where trade_no = $1`, [tradeNo]))[0]?.id ?? 0;
      };
      const [first, next, last] = [await pay(), await pay(), await pay()];
      const refund = async (id: number, by: Person | undefined, mayOverdraw = true): Promise<string> =>
        codeOf(
          await by!.call('POST', `/api/user/topup/${id}/refund`, { reason: 'asked', allow_negative: mayOverdraw }),
        );
      const waiting = async (): Promise<Approval[]> =>
        (await root.data<{ items: Approval[] }>('GET', '/api/approval?kind=refund&status=pending')).items;
      const asked = [refund(first, second), refund(first, third), refund(first, second), refund(first, root)];
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['approval-required']));
      const requests = await waiting();
      const deciders = [second, third, root];
      const codes = await sorted(requests.flatMap(({ id }) => deciders.map((by) => approve(id, by))));
      expect([requests.length, codes.filter((code) => code === 'done').length]).toEqual([3, 1]);
      // A pending refund is closed by an administrator who no longer needs an approval.
      expect(await refund(next, second)).toBe('approval-required');
      await setLimit('0');
      expect(await sorted([refund(next, third), refund(next, second)])).toEqual(['done', 'top-up-not-paid']);
      expect(await waiting()).toEqual([]);
      await setLimit('1');
      expect(await refund(last, second, false)).toBe('approval-required');
      await root.data('DELETE', `/api/user/${payer.id}`);
      for (const { id } of await waiting()) expect(await approve(id, third)).toBe('done');
      expect(await sql(`select credit, spent from account where user_id = $1`, [payer.id])).toEqual([
        { credit: '0', spent: '0' },
      ]);
      await expectTrueBooks();
    } finally {
      await setLimit('0');
      await gateway.close();
    }
  }, 120_000);

  it('compute costs for the smallest and largest prices, from the time each was saved', async () => {
    const user = await testBed.user('costly', 5_000_000);
    const key = await testBed.token(user);
    const save = async (terms: object): Promise<string> =>
      codeOf(await testBed.root.call('PUT', '/api/cost', { channel_id: channel, costs: [{ model: '', terms }] }));
    const strange = [{ ratio: -1 }, { ratio: 1e300 }, { call: 1_000_001 }, { ratio: 1, call: 1 }, { ratio: '0.5' }, {}];
    for (const terms of strange) expect(await save(terms)).toBe('invalid-input');
    const known = [
      ...[{ ratio: 1e-12 }, { call: 1_000_000 }, { input: 1_000_000, output: 1_000_000 }],
      ...[{ ratio: 0 }, { input: 0.1 + 0.2, output: 1e-300 }, { ratio: 1_000_000 }],
    ];
    for (const terms of known) {
      expect(await save(terms)).toBe('done');
      await call(key, 1);
    }
    await booked(user.id, known.length);
    const rows = await sql<{ cost: string }>(
      `select cost from posting where user_id = $1 and code = 'consumption' order by id`,
      [user.id],
    );
    expect(rows.map(({ cost }) => cost)).toEqual(['1', '500000000000', '6000000', '0', '1', '52500000']);
    const today = dayOf(Date.now());
    for (const by of ['user', 'channel', 'model', 'group'])
      expect(
        await testBed.root.data<Statement>('GET', `/api/statement?start=${today}&end=${today}&by=${by}`),
      ).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ cost: expect.any(Number) })]),
      });
    await expectTrueBooks();
  }, 120_000);
});
