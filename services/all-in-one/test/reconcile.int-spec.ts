import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BooksWatch,
  exportJournal,
  type LaidDown,
  layDownCorrections,
  openSigningKey,
  type Query,
  ratingFault,
  readPrices,
  Rerating,
  Sealer,
} from '@tollgate/billing';
import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Logger } from '@tollgate/chassis';
import {
  appendToTable,
  everythingAbout,
  reconcile,
  type ReconcileReport,
  rewindTable,
  tableReader,
} from '@tollgate/operations';
import { type FakeUpstream, type Stand, startFakeUpstream, startProduct, startStand } from '@tollgate/testing';
import type { Approval, CorrectionRun } from '@tollgate/contracts/api/approval';
import type { Log } from '@tollgate/contracts/api/log';
import { Client, type QueryResult } from 'pg';
import { v7 } from 'uuid';
import { replayExport } from '../src/commands/journal-replay.js';
import { allServices } from '../src/index.js';
import { ask, eventually } from './relay-site.js';

const log = Logger.root('silent');
const REQUESTS = 6;

/** Some of everything that moves quota, in one product; then one row at a time is spoilt behind its back. */
describe('reconcile', () => {
  let stand: Stand;
  let upstream: FakeUpstream;
  let url = '';
  let ids: string[] = [];

  const sql = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const result: QueryResult<Row> | QueryResult<Row>[] = await client.query<Row>(text);
      return Array.isArray(result) ? [] : result.rows;
    } finally {
      await client.end();
    }
  };
  /** While rows are spoilt nothing is chained: a link to a row that is taken away again would stay. */
  const withoutChaining = async (work: () => Promise<void>): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('begin; select from billing.seal_progress for update');
      await work();
    } finally {
      await client.end();
    }
  };
  const look = (): Promise<ReconcileReport> =>
    reconcile({
      ...{ services: allServices, url, log, rate: ratingFault, patienceMs: 0 },
      period: { to: Date.now() + 60_000 },
    });

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    stand = await startStand(allServices);
    url = stand.host.env.DATABASE_URL ?? '';
    await stand.channel({ name: 'books', base_url: upstream.url, models: 'gpt-4o' });
    const user = await stand.user('payer', 5_000_000);
    const key = await stand.token(user, { unlimited_quota: false, remain_quota: 1_000_000 });
    const [code] = await stand.root.data<string[]>('POST', '/api/redemption/', { name: 'gift', count: 1, quota: 700 });
    await user.data('POST', '/api/user/topup', { key: code });
    for (let index = 0; index < REQUESTS; index += 1)
      await (await ask(stand.url, { dialect: 'openai', key, prompt: `number ${index}` })).text();
    await eventually(
      look,
      ({ sums, balanced }) => balanced && sums.every(({ requests }) => requests === REQUESTS),
      20_000,
    );
    // Idle blocks go back, so that nothing but the harm changes a lease from here on.
    await eventually(
      () => sql<{ held: string }>('select sum(held) as held from billing.account'),
      ([row]) => row?.held === '0',
      20_000,
    );
    ids = (
      await sql<{ id: string }>(
        `select "id" from billing.posting where "code" = 'consumption' and "amount" > 0 order by "id"`,
      )
    ).map(({ id }) => id);
  }, 120_000);
  afterAll(async () => {
    await stand?.close();
    await upstream?.close();
  });

  it('finds nothing wrong with true books, and every store counts the same', async () => {
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.notices).toEqual([]);
    expect(new Set(report.sums.map(({ requests, units }) => `${requests} ${units}`)).size).toBe(1);
    expect(report.sums.map(({ store }) => store).sort()).toEqual(['events', 'journal', 'usage log']);
    expect(report.usage).toContainEqual({ source: 'upstream', requests: REQUESTS, units: expect.any(Number) });
  }, 60_000);

  it('leaves the rows of channel tests out, which the log shows as any other and nobody pays for', async () => {
    const before = await look();
    const balances = `select (select json_agg(a order by "user_id") from billing.account a) as "wallets",
      (select json_agg("used_quota" order by "id") from channel.channel) as "channels", (select count(*) from billing.posting) as "postings"`;
    const held = await sql<object>(balances);
    expect((await stand.root.call('GET', '/api/channel/test/1')).body).toMatchObject({ success: true });
    expect((await stand.root.call('POST', '/api/channel/batch/test', { ids: [1] })).body).toMatchObject({
      data: [{ success: true }],
    });
    await stand.root.data('GET', '/api/channel/test');
    const query = `token_name=${encodeURIComponent('模型测试')}`;
    const { items } = await eventually(
      () => stand.root.data<{ total: number; items: Log[] }>('GET', `/api/log/?${query}`),
      ({ total }) => total === 3,
      20_000,
    );
    const row = {
      type: 2,
      user_id: 1,
      username: 'root',
      token_id: 0,
      content: '模型测试',
      model_name: 'gpt-4o',
      channel: 1,
    };
    for (const item of items) {
      expect(item).toMatchObject({ ...row, channel_name: 'books', group: 'default', is_stream: false });
      expect(item.completion_tokens).toBe(10);
      expect(item.quota).toBe(Math.round((item.prompt_tokens + 40) * 1.25)); // completion × 4
    }
    const quota = items.reduce((sum, item) => sum + item.quota, 0);
    expect(await stand.root.data('GET', `/api/log/stat?${query}`)).toMatchObject({ quota });
    expect(await stand.root.data('GET', '/api/log/self/stat')).toMatchObject({ quota });
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.sums).toEqual(before.sums);
    expect(report.usage).toEqual(before.usage);
    expect(await sql<object>(balances)).toEqual(held);
  }, 60_000);

  it('shows every row about a request', async () => {
    const found = await everythingAbout(ids[0] ?? '', { url, log });
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['billing.posting', 'logging.log', 'event_log.record']));
  });

  it('tells administrators, and nobody else, up to when the books balance', async () => {
    const watch = stand.process.services.get('billing')?.app.get<{ look(): Promise<unknown> }>(BooksWatch as never);
    await RequestContext.create(stand.process.services.get('billing')!.app.get(EntityManager), () => watch!.look());
    const state = await stand.root.data<{ balanced_up_to: number; checked_at: number; faults: number }>(
      'GET',
      '/api/finance/books',
    );
    expect(state).toMatchObject({ faults: 0, first: '' });
    // Two minutes behind, for what is under way between the services.
    expect(Math.abs(state.checked_at - state.balanced_up_to - 120)).toBeLessThan(60);
    expect((await stand.visitor().call('GET', '/api/finance/books')).body.success).toBe(false);
  }, 60_000);

  describe('re-rating', () => {
    const inBilling = <T>(work: (query: Query) => Promise<T>): Promise<T> => withClient(url, work);
    const rerate = (change?: (document: Record<string, unknown>) => void): Promise<Rerating> =>
      inBilling(async (query) => {
        const rows = await query<{ id: string; document: Record<string, unknown> }>(
          'select "id", "document" from "price_version"',
        );
        const documents = new Map(rows.map(({ id, document }) => [id, readPrices(JSON.stringify(document))]));
        const latest = structuredClone(rows.at(-1)?.document ?? {});
        change?.(latest);
        const rerating = new Rerating({
          ...{
            from: 0,
            to: Date.now() + 1000,
            documents,
            ...(change && { other: readPrices(JSON.stringify(latest)) }),
          },
          async bookedOf(wanted) {
            const booked = await query<{ id: string; amount: string }>(
              'select "id", "amount" from "posting" where "id" = any($1::uuid[])',
              [wanted],
            );
            return new Map(booked.map(({ id, amount }) => [id, Number(amount)]));
          },
        });
        const client = new Client({ connectionString: url });
        await client.connect();
        await tableReader(client)('request-consumed', (records) => rerating.take(records)).finally(() => client.end());
        return rerating;
      });
    const tripled = (document: Record<string, unknown>): void => {
      document['groupRatio'] = { ...(document['groupRatio'] as object), default: 3 };
    };
    const doubled = (document: Record<string, unknown>): void => {
      document['groupRatio'] = { ...(document['groupRatio'] as object), default: 2 };
    };

    it('gives every charge again, bit for bit', async () => {
      const { total, differences, unpriced } = await rerate();
      expect({ differences, unpriced, same: total.charged === total.rerated }).toEqual({
        differences: [],
        unpriced: [],
        same: true,
      });
      expect(total.requests).toBe(REQUESTS);
    }, 60_000);

    it('shows what other prices would have charged', async () => {
      const { total, users, models, channels } = await rerate(doubled);
      // 52.5 units each, rounded to 53: twice that is 105 and not 106.
      expect([total.charged, total.rerated]).toEqual([REQUESTS * 53, REQUESTS * 105]);
      expect([users.get('2')?.requests, models.get('gpt-4o')?.requests, channels.get('1')?.requests]).toEqual([
        REQUESTS,
        REQUESTS,
        REQUESTS,
      ]);
    }, 60_000);

    it('corrects by postings that another administrator agreed to, once, and the books balance', async () => {
      const second = await stand.user('second', 0);
      await stand.root.data('POST', '/api/user/manage', { id: second.id, action: 'promote' });
      const wish = { reason: 'the contract said so', requestedBy: 1 };
      const layDown = ({ differences }: Rerating, more: Partial<typeof wish> = {}) =>
        inBilling((query) => layDownCorrections(query, differences, { ...wish, ...more }));
      const approve = async (id: number, by = second) =>
        (await by.call('POST', `/api/approval/${id}/approve`, {})).body as { success: boolean; code?: string };
      const spent = async (): Promise<number> =>
        Number((await sql<{ spent: string }>('select spent from billing.account where user_id = 2'))[0]?.spent);

      const dearer = await rerate(doubled);
      await expect(layDown(dearer, { reason: ' ' })).rejects.toThrow(/needs a reason/);
      const before = await spent();
      const one = async (found: Rerating): Promise<LaidDown> => {
        const [run] = await layDown(found);
        if (!run) throw new Error('nothing was laid down');
        return run;
      };
      const run = await one(dearer);
      const id = run.approvalId;
      expect(await layDown(dearer)).toEqual([{ ...run, known: true }]);
      expect(await spent()).toBe(before);
      expect((await approve(id, stand.root)).code).toBe('approval-own');
      const shown = await second.data<CorrectionRun>('GET', `/api/approval/${id}/correction`);
      const sums = { requests: REQUESTS, charged: REQUESTS * 53, rerated: REQUESTS * 105 };
      expect(shown).toMatchObject({ digest: run.digest, ...sums, users: 1, by_model: [{ key: 'gpt-4o', ...sums }] });
      expect(shown.rows.map((row) => row.request_id).sort()).toEqual(ids);
      expect((await approve(id)).success).toBe(true);
      expect((await approve(id)).success).toBe(true);
      expect((await spent()) - before).toBe(REQUESTS * (105 - 53));
      expect(await layDown(dearer)).toEqual([]);
      const [row] = await sql<object>(
        `select actor_id, reason, debit, credit, model, channel_id from billing.posting where code = 'correction' limit 1`,
      );
      expect(row).toEqual({
        ...{ actor_id: 1, debit: 'wallet:2', credit: 'revenue', model: 'gpt-4o', channel_id: 1 },
        reason: `the contract said so (correction run ${id}, approved by user ${second.id})`,
      });
      expect((await look()).faults).toEqual([]);

      // The same charges by third prices. What is refused leaves a trace and moves nothing.
      const again = await rerate(tripled);
      const first = await one(again);
      await second.data('POST', `/api/approval/${first.approvalId}/refuse`, { note: 'not now' });
      const wanted = await one(again);
      expect(wanted.approvalId).not.toBe(first.approvalId);
      // What the journal has moved on from is closed, whoever agrees, and nothing of it is posted.
      const part = await one({ ...again, differences: again.differences.slice(0, 1) } as Rerating);
      const [token] = await sql<{ credit: string }>('select credit from billing.token');
      await sql('update billing.token set credit = spent + 1');
      expect((await approve(wanted.approvalId)).success).toBe(true);
      expect((await approve(part.approvalId)).code).toBe('correction-outdated');
      await sql(`update billing.token set credit = ${token?.credit}`);
      const { items } = await second.data<{ items: Approval[] }>('GET', '/api/approval?kind=correction');
      expect(items.map(({ status }) => status)).toEqual(['expired', 'approved', 'refused', 'approved']);
      expect((await look()).faults).toEqual([]);
      expect((await spent()) - before).toBe(again.total.rerated - REQUESTS * 53);

      const told = await sql<{ topic: string; value: string }>(
        `select topic, value from billing.outbox_event where topic in ('token-changed', 'quota-adjusted') or value like '%charges-correct%' order by id desc limit 3`,
      );
      expect(told.map(({ topic }) => topic)).toEqual(['admin-action', 'quota-adjusted', 'token-changed']);
      const [action, adjusted] = told.map(({ value }) => (JSON.parse(value) as { data: object }).data);
      const after = { requests: REQUESTS, reason: wish.reason, approvedBy: second.id, approval: wanted.approvalId };
      expect(action).toMatchObject({ actorId: 1, subject: 'user:2', after });
      expect(adjusted).toMatchObject({ userId: 2, actorId: 1 });
      const proof = await stand.root.data<{ steps: { facts: { name: string; value: unknown }[] }[] }>(
        'GET',
        `/api/proof/request/${ids[0]}`,
      );
      const codes = proof.steps.flatMap(({ facts }) => facts.filter(({ name }) => name === 'code'));
      expect(codes.map(({ value }) => value)).toEqual(['consumption', 'correction', 'correction']);
    }, 60_000);

    it('posts nothing when the rows are not those that were laid down', async () => {
      const wish = { reason: 'back to the list', requestedBy: 1 };
      const { differences } = await rerate(doubled);
      const [run] = await inBilling((query) => layDownCorrections(query, differences, wish));
      await sql(`alter table billing.correction_row disable trigger user`);
      await sql(
        `update billing.correction_row set rerated = rerated + 1 where approval_id = ${run?.approvalId} and number = 1`,
      );
      await sql(`alter table billing.correction_row enable trigger user`);
      const other = await stand.user('third', 0);
      await stand.root.data('POST', '/api/user/manage', { id: other.id, action: 'promote' });
      const { body } = await other.call('POST', `/api/approval/${run?.approvalId}/approve`, {});
      expect((body as { code?: string }).code).toBe('correction-altered');
      expect((await look()).faults).toEqual([]);
    }, 60_000);
  });

  /** Rows as they were are put back after each; `ID` is a request, `OTHER` another one. */
  const plants: [kind: string, table: string, harm: string, named: string | RegExp][] = [
    ['a posting removed', 'billing.posting', `delete from billing.posting where id = 'ID'`, 'ID'],
    [
      'a posting with another amount',
      'billing.posting',
      `update billing.posting set amount = amount + 1 where id = 'ID'`,
      'ID',
    ],
    [
      'a posting doubled under another id',
      'billing.posting',
      `insert into billing.posting select gen_random_uuid(), code, debit, credit, amount, user_id, token_id, reference, price_version, replica_epoch, actor_id, reason, booked_at from billing.posting where id = 'ID'`,
      /wallet:/,
    ],
    [
      'a posting moved to another user',
      'billing.posting',
      `update billing.posting set user_id = 1, debit = 'wallet:1' where id = 'ID'`,
      'ID',
    ],
    [
      'a posting that names another wallet',
      'billing.posting',
      `update billing.posting set debit = 'wallet:1' where id = 'ID'`,
      'ID',
    ],
    [
      'a movement without its key',
      'billing.posting_key',
      `delete from billing.posting_key where code = 'redemption'`,
      /-/,
    ],
    [
      'an adjustment of another amount',
      'billing.posting',
      `update billing.posting set amount = amount + 5 where code = 'admin-adjustment'`,
      /wallet:/,
    ],
    [
      'a wallet with other credit',
      'billing.account',
      `update billing.account set credit = credit + 1 where user_id = 2`,
      'wallet:2',
    ],
    ['a wallet removed', 'billing.account', `delete from billing.account where user_id = 2`, 'wallet:2'],
    [
      'spending moved between wallets',
      'billing.account',
      `update billing.account set spent = spent + case user_id when 2 then -5 else 5 end`,
      'wallet:1',
    ],
    ['a token with other spending', 'billing.token', `update billing.token set spent = spent - 1`, /token:/],
    ['a token removed', 'billing.token', `delete from billing.token`, /^token:/],
    ['a token moved to another user', 'billing.token', `update billing.token set user_id = 1`, /^token:/],
    ['a movement removed', 'billing.posting', `delete from billing.posting where code = 'redemption'`, /^code:/],
    [
      'a movement moved to another user',
      'billing.posting',
      `update billing.posting set user_id = 1, credit = 'wallet:1' where code = 'redemption'`,
      /^code:/,
    ],
    [
      'a lease moved to another wallet',
      'billing.lease',
      `update billing.lease set account_id = 1 where kind = 'wallet' and account_id = 2`,
      /wallet:1 lent to/,
    ],
    [
      'a lease with other bookings',
      'billing.lease',
      `update billing.lease set booked = booked + 1000000, granted = granted + 1000000`,
      /wallet:2 lent to/,
    ],
    [
      'quota held by no lease',
      'billing.account',
      `update billing.account set held = held + 7 where user_id = 2`,
      'wallet:2',
    ],
    ['a redeemed code that was not used', 'billing.redemption', `update billing.redemption set status = 1`, /^code:/],
    [
      'a code redeemed by somebody else',
      'billing.redemption',
      `update billing.redemption set used_user_id = 1`,
      /^code:/,
    ],
    ['a code removed', 'billing.redemption', `delete from billing.redemption`, /^code:/],
    ['a code of another amount', 'billing.redemption', `update billing.redemption set quota = quota + 1`, /^code:/],
    [
      'a paid order without a posting',
      'billing.top_up_order',
      `insert into billing.top_up_order (user_id, trade_no, provider, method, merchant, status, amount, quota, money, currency, created_at, expires_at) values (2, 'T9', 'epay', 'a', 'b', 'paid', 1, 500, '1', 'CNY', now(), now())`,
      'order:T9',
    ],
    [
      'a price version removed',
      'billing.price_version',
      `update billing.price_version set id = 'gone'`,
      /^price version/,
    ],
    [
      'a price version with other prices',
      'billing.price_version',
      `update billing.price_version set document = replace(document::text, '1.25', '2.5')::jsonb`,
      'ID',
    ],
    [
      'a statement with another sum',
      'billing.statement_day',
      `update billing.statement_day set amount = amount + 1 where code = 'consumption'`,
      /^statement of .* for user 2, consumption/,
    ],
    [
      'a statement removed',
      'billing.statement_day',
      `delete from billing.statement_day`,
      /^statement of .* for user 2/,
    ],
    [
      'a statement moved to another user',
      'billing.statement_day',
      `update billing.statement_day set user_id = 1 where code = 'consumption'`,
      /^statement of .* for user 1, consumption/,
    ],
    [
      'a statement of another day',
      'billing.statement_day',
      `update billing.statement_day set origin = origin - 1 where code = 'consumption'`,
      /^statement of .* for user 2, consumption/,
    ],
    ['a log row removed', 'logging.log', `delete from logging.log where event_id = 'ID'`, 'ID'],
    [
      'a log row with another quota',
      'logging.log',
      `update logging.log set quota = quota + 3 where event_id = 'ID'`,
      'ID',
    ],
    [
      'a log row doubled',
      'logging.log',
      `insert into logging.log (created_at, event_id, user_id, type, quota, other) select created_at + 1, event_id, user_id, type, quota, other from logging.log where event_id = 'ID'`,
      'ID',
    ],
    [
      'a log row moved to another user',
      'logging.log',
      `update logging.log set user_id = 1 where event_id = 'ID'`,
      'ID',
    ],
    [
      'a log row with other tokens',
      'logging.log',
      `update logging.log set prompt_tokens = prompt_tokens + 1 where event_id = 'ID'`,
      'ID',
    ],
    ['an hour removed', 'logging.quota_hour', `delete from logging.quota_hour`, /^hour .* of user 2/],
    [
      'an hour with another sum',
      'logging.quota_hour',
      `update logging.quota_hour set quota = quota + 1`,
      /^hour .* of user 2/,
    ],
    ['an hour moved', 'logging.quota_hour', `update logging.quota_hour set hour = hour - 3600`, /^hour .* of user 2/],
    ['an hour of a channel removed', 'logging.channel_hour', `delete from logging.channel_hour`, /of channel 1/],
    [
      'an hour of a channel with another count',
      'logging.channel_hour',
      `update logging.channel_hour set requests = requests + 1`,
      /of channel 1/,
    ],
    [
      'an hour of a channel moved',
      'logging.channel_hour',
      `update logging.channel_hour set hour = hour - 3600`,
      /of channel 1/,
    ],
    ['a day of a channel removed', 'billing.channel_day', `delete from billing.channel_day`, /^channel 1 on .*, gpt/],
    [
      'a day of a channel with another sum',
      'billing.channel_day',
      `update billing.channel_day set sales = sales + 1`,
      /^channel 1 on .*, gpt/,
    ],
    [
      'a day of a channel moved',
      'billing.channel_day',
      `update billing.channel_day set channel_id = 7 where zone = 'UTC'`,
      /^channel 1 on .*, gpt/,
    ],
    [
      'the usage of a channel removed',
      'logging.channel_usage',
      `delete from logging.channel_usage`,
      /^usage of channel 1 on /,
    ],
    [
      'the usage of a channel with another sum',
      'logging.channel_usage',
      `update logging.channel_usage set input = input + 1`,
      /^usage of channel 1 on /,
    ],
    [
      'the usage of a channel moved',
      'logging.channel_usage',
      `update logging.channel_usage set channel_id = 7 where zone = 'UTC'`,
      /^usage of channel 1 on /,
    ],
    [
      'a channel with another sum',
      'channel.channel',
      `update channel.channel set used_quota = used_quota + 1`,
      'channel:1',
    ],
    [
      'an event removed',
      'event_log.record',
      `delete from event_log.record where topic = 'request-consumed' and value like '%ID%'`,
      'ID',
    ],
    [
      'an event with another charge',
      'event_log.record',
      `update event_log.record set value = regexp_replace(value, '"quota":\\d+', '"quota":1') where topic = 'request-consumed' and value like '%ID%'`,
      'ID',
    ],
    [
      'an event moved to another partition',
      'event_log.record',
      `update event_log.record set partition = (partition + 1) % 12, record_offset = 900000 where topic = 'request-consumed' and value like '%ID%'`,
      'ID',
    ],
    [
      'an event twice, and different',
      'event_log.record',
      `insert into event_log.record select topic, partition, record_offset + 100, key, replace(value, '"quota":', '"quota":1') from event_log.record where topic = 'request-consumed' and value like '%ID%'`,
      'ID',
    ],
    [
      'a task that nobody charged',
      'channel.task',
      `insert into channel.task (request_id, user_id, token_id, channel_id, platform, action, upstream_id, quota, submitted_at, settled_at, poll_at, created_at, updated_at) values ('01900000-0000-7000-8000-000000000001', 2, 1, 1, 'suno', 'MUSIC', 'u1', 500, now(), now(), now() + interval '1 day', now(), now())`,
      /^task:01900000/,
    ],
    [
      'an event that was put aside',
      'billing.quarantined_event',
      `insert into billing.quarantined_event (topic, partition, record_offset, handler, key, value, error, attempts, event_id) values ('request-consumed', 0, 1, 'h', '1', '{}', 'broken', 1, '01900000-0000-7000-8000-000000000002')`,
      /^01900000/,
    ],
  ];

  it.each(plants)('names %s', (_, table, harm, named) => withoutChaining(() => namesHarm(table, harm, named)), 60_000);

  async function namesHarm(table: string, harm: string, named: string | RegExp): Promise<void> {
    const id = ids[2] ?? '';
    const [columns] = await sql<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    );
    // Triggers refuse such harm; an owner of the schema can switch them off.
    const aside = `set session_replication_role = replica`;
    await sql(`create table kept as select ${columns?.names} from ${table}`);
    try {
      await sql(`${aside}; ${harm.replaceAll('ID', id)}`);
      const { faults } = await look();
      const subjects = faults.map(({ subject, store }) => `${subject} (${store})`);
      const wanted = typeof named === 'string' ? named.replace('ID', id) : named;
      expect(
        faults.some(({ subject }) => (typeof wanted === 'string' ? subject === wanted : wanted.test(subject)))
          ? 'named'
          : subjects,
      ).toBe('named');
    } finally {
      await sql(
        `${aside}; delete from ${table}; insert into ${table} (${columns?.names}) overriding system value select * from kept; drop table kept`,
      );
    }
    expect((await look()).faults).toEqual([]);
  }

  it('takes a second copy of an event for harmless, and says so', async () => {
    const [row] = await sql<{ partition: number; key: string; value: string }>(
      `select partition, key, value from event_log.record where topic = 'request-consumed' and value like '%${ids[1]}%'`,
    );
    await sql(
      `set search_path = event_log; select append_records('request-consumed', array[${row?.partition}], array['${row?.key}'], array['${row?.value}'])`,
    );
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.notices).toEqual([expect.stringContaining(`${ids[1]} (2×)`)]);
  }, 60_000);

  it('says who has not read all events yet, where something is amiss', async () => {
    const behind = `insert into event_log.committed_offset select 'late', topic, partition, next - 1 from event_log.topic_partition where topic = 'request-consumed' and next > 0`;
    const add = (units: number) => sql(`update channel.channel set used_quota = used_quota + ${units}`);
    const late = expect.stringContaining('late has not read');
    await sql(behind);
    expect((await look()).notices).not.toContainEqual(late);
    await add(1);
    try {
      expect((await look()).notices).toContainEqual(late);
    } finally {
      await sql(`delete from event_log.committed_offset where consumer_group = 'late'`);
      await add(-1);
    }
    expect((await look()).faults).toEqual([]);
  }, 60_000);

  it('has the same consumption again in an empty database, from the topic alone', async () => {
    const digest = `select (select md5(string_agg(p::text, '|' order by p.id)) from (
        select id, code, debit, credit, amount, user_id, token_id, reference, price_version, replica_epoch, reason from billing.posting where code = 'consumption') p) as journal,
      (select md5(string_agg(a::text, '|' order by a.user_id)) from (select user_id, spent - coalesce((select sum(amount) from billing.posting where code = 'correction' and user_id = a.user_id), 0) as spent,
        request_count from billing.account a where request_count > 0) a) as balances`;
    const [before] = await sql<{ journal: string; balances: string }>(digest);
    const records: { key: string; value: string }[] = [];
    const client = new Client({ connectionString: url });
    await client.connect();
    await tableReader(client)('request-consumed', (batch) => Promise.resolve(void records.push(...batch))).finally(() =>
      client.end(),
    );
    const versions = await sql<{ id: string; document: object }>('select id, document from billing.price_version');

    const empty = await startProduct(allServices);
    try {
      const target = empty.host.env.DATABASE_URL ?? '';
      const there = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
        const other = new Client({ connectionString: target });
        await other.connect();
        return (await other.query<Row>(text, values).finally(() => other.end())).rows;
      };
      for (const { id, document } of versions)
        await there('insert into billing.price_version (id, document) values ($1, $2) on conflict do nothing', [
          id,
          document,
        ]);
      await appendToTable({ url: target, log, topic: 'request-consumed', records });
      const found = await eventually(
        () => there<{ journal: string; balances: string }>(digest),
        ([row]) => row?.journal === before?.journal,
        30_000,
      );
      expect(found).toEqual([before]);
      // Once more from the beginning: nothing is booked twice.
      await rewindTable({ url: target, log, topic: 'request-consumed' });
      await appendToTable({ url: target, log, topic: 'request-consumed', records });
      await eventually(
        () =>
          there<{ behind: string }>(
            `select sum(t.next - c.next) as behind from event_log.committed_offset c join event_log.topic_partition t using (topic, partition) where c.topic = 'request-consumed' and c.consumer_group = 'billing'`,
          ),
        ([row]) => Number(row?.behind) === 0,
        30_000,
      );
      expect(await there(digest)).toEqual([before]);
    } finally {
      await empty.close();
    }
  }, 120_000);

  it('has postings of every kind again in an empty database, from an export of the journal alone', async () => {
    const digest = `select (select md5(string_agg(p::text, '|' order by p.id)) from (select id, code, debit, credit, amount, user_id, token_id, reference,
        price_version, replica_epoch, actor_id, reason, booked_at, model, "group", channel_id, event_partition, event_offset, cost, cost_version from billing.posting) p) as journal,
      (select md5(string_agg(a::text, '|' order by a.user_id)) from (select user_id, credit, spent, request_count, aff_quota, aff_history_quota
        from billing.account where credit <> 0 or spent <> 0 or aff_history_quota <> 0) a) as balances,
      (select md5(string_agg(k::text, '|' order by k)) from (select code, reference, posting_id from billing.posting_key where posting_id is not null) k) as keys,
      (select md5(string_agg(s::text, '|' order by s)) from (select origin, user_id, code, debit, credit, "group", channel_id, model, sum(amount), sum(count), sum(cost), sum(costed)
        from billing.statement_day group by 1, 2, 3, 4, 5, 6, 7, 8) s) as statements`;
    const billing = stand.process.services.get('billing')!.app;
    // Whoever was invited, and who gave what was earned to the own wallet.
    await sql(
      `insert into billing.posting (id, code, debit, credit, amount, user_id, reference) values (gen_random_uuid(), 'inviter-reward', 'grants', 'affiliate:2', 90, 2, 'r1'),
         (gen_random_uuid(), 'affiliate-transfer', 'affiliate:2', 'wallet:2', 30, 2, 'r2');
       insert into billing.posting_key (code, reference, posting_id) select code, reference, id from billing.posting where reference in ('r1', 'r2');
       update billing.account set credit = credit + 30, aff_quota = 60, aff_history_quota = 90 where user_id = 2`,
    );
    // One that leases were lent for, and whose cost is known.
    const lent = v7();
    await sql(
      `insert into billing.posting (id, code, debit, credit, amount, user_id, token_id, reference, reason, price_version, replica_epoch, cost, cost_version)
         values ('${lent}', 'consumption', 'wallet:2', 'revenue', 70, 2, 77, '${lent}', 'success', 'p', 'lent', 45, 3);
       update billing.account set spent = spent + 70, request_count = request_count + 1 where user_id = 2`,
    );
    await sql(
      `insert into billing.price_version (id, document) select 'of another year ' || i, '{}' from generate_series(1, 50) as i`,
    );
    const sealed = async (): Promise<boolean> => {
      await RequestContext.create(billing.get(EntityManager), () => billing.get<Sealer>(Sealer as never).seal());
      const [row] = await sql<{ left: string }>(
        `select (select count(*) from billing.posting) - (select coalesce(sum(position), 0) from (select distinct on (chain) chain, position from billing.journal_seal order by chain, position desc) s) as left`,
      );
      return Number(row?.left) === 0;
    };
    // The mark of what may be chained waits for every transaction of the server, those of suites beside this one too.
    expect(await eventually(sealed, Boolean, 60_000)).toBe(true);
    const [before] = await sql<object>(digest);
    const codes = await sql<{ code: string }>('select distinct code from billing.posting order by 1');
    expect(codes.map(({ code }) => code)).toEqual(
      expect.arrayContaining([
        'admin-adjustment',
        'affiliate-transfer',
        'consumption',
        'correction',
        'redemption',
        'token-budget',
      ]),
    );

    const folder = mkdtempSync(join(tmpdir(), 'tollgate-replay-'));
    const [key] = await sql<{ private_sealed: string; public_key: string }>('select * from billing.seal_key');
    const signing = openSigningKey(stand.host.secrets, key?.private_sealed ?? '');
    await withClient(url, (query) => exportJournal({ query, folder, from: 0, to: 8.64e15, key: signing }));
    const empty = await startProduct(allServices);
    try {
      const target = empty.host.env.DATABASE_URL ?? '';
      const replay = () => withClient(target, (query) => replayExport(query, folder, key?.public_key ?? ''));
      const again = () => withClient(target, (query) => query<object>(digest));
      await expect(withClient(target, (query) => replayExport(query, folder, '00'.repeat(32)))).rejects.toThrow(
        /not signed/,
      );
      // Something is out, as in a backup of a day on which calls ran.
      await withClient(target, async (query) => {
        await query(`insert into replica (epoch, synced_at) values ('lent', now())`);
        await query(
          `insert into lease (kind, account_id, replica_epoch, granted) values ('wallet', 2, 'lent', 100), ('token', 77, 'lent', 90)`,
        );
        await query(`insert into account (user_id, held) values (2, 100)`);
        await query(
          `insert into token (id, user_id, name, key_hash, key_sealed, key_hint, created_time, held) values (77, 2, 't', 'h', 's', 'k', 0, 90)`,
        );
      });
      const held = () =>
        withClient(target, (query) =>
          query<object>(
            `select (select held::int from account where user_id = 2) as wallet, (select held::int from token where id = 77) as token,
               (select count(*)::int from held_faults()) as faults`,
          ),
        );
      const { rows, posted, prices } = await replay();
      expect([posted, prices]).toEqual([rows, 50]);
      expect(await held()).toEqual([{ wallet: 30, token: 20, faults: 0 }]);
      expect(await again()).toEqual([before]);
      // Nothing is posted twice, neither by a repeat nor by the topic.
      expect(await replay()).toMatchObject({ rows, posted: 0, prices: 0, states: 0 });
      expect(await again()).toEqual([before]);
      expect(await held()).toEqual([{ wallet: 30, token: 20, faults: 0 }]);
      appendFileSync(join(folder, 'prices.ndjson'), '\n');
      await expect(replay()).rejects.toThrow(/prices.ndjson is not the file/);
    } finally {
      await empty.close();
      rmSync(folder, { recursive: true });
    }
  }, 240_000);
});

async function withClient<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set search_path = billing');
    return await work(
      async <Row extends object>(text: string, values: unknown[] = []) => (await client.query<Row>(text, values)).rows,
    );
  } finally {
    await client.end();
  }
}
