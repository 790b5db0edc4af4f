import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { BooksWatch, ratingFault } from '@tollgate/billing';
import type { Log } from '@tollgate/contracts/api/log';
import { everythingAbout, type ReconcileReport } from '@tollgate/operations';
import { readUntil } from '@tollgate/testing';
import { describeHarms } from './reconcile-harms.js';
import { describeReplays } from './reconcile-replays.js';
import { describeRerating } from './reconcile-rerating.js';
import { log, ReconcileSite, REQUESTS } from './reconcile-site.js';

/** One product for all tests. Their order matters, because corrections and replays leave rows behind. */
describe('reconcile', () => {
  let site: ReconcileSite;
  const sql = <Row extends object>(text: string): Promise<Row[]> => site.sql<Row>(text);
  const look = (): Promise<ReconcileReport> => site.look();

  beforeAll(async () => {
    site = await ReconcileSite.start();
  }, 120_000);
  afterAll(() => site?.close());

  it('reports no fault in correct books, and equal sums in every store', async () => {
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.notices).toEqual([]);
    expect(new Set(report.sums.map(({ requests, units }) => `${requests} ${units}`)).size).toBe(1);
    expect(report.sums.map(({ store }) => store).sort()).toEqual(['events', 'journal', 'usage log']);
    expect(report.usage).toContainEqual({ source: 'upstream', requests: REQUESTS, units: expect.any(Number) });
  }, 60_000);

  it('leaves out the log rows of channel tests, which nobody pays for', async () => {
    const before = await look();
    const balances = `select (select json_agg(a order by "user_id") from billing.account a) as "wallets",
      (select json_agg("used_quota" order by "id") from channel.channel) as "channels", (select count(*) from billing.posting) as "postings"`;
    const held = await sql<object>(balances);
    expect((await site.testBed.root.call('GET', '/api/channel/test/1')).body).toMatchObject({ success: true });
    expect((await site.testBed.root.call('POST', '/api/channel/batch/test', { ids: [1] })).body).toMatchObject({
      data: [{ success: true }],
    });
    await site.testBed.root.data('GET', '/api/channel/test');
    const query = `token_name=${encodeURIComponent('模型测试')}`;
    const { items } = await readUntil(
      () => site.testBed.root.data<{ total: number; items: Log[] }>('GET', `/api/log/?${query}`),
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
    expect(await site.testBed.root.data('GET', `/api/log/stat?${query}`)).toMatchObject({ quota });
    expect(await site.testBed.root.data('GET', '/api/log/self/stat')).toMatchObject({ quota });
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.sums).toEqual(before.sums);
    expect(report.usage).toEqual(before.usage);
    expect(await sql<object>(balances)).toEqual(held);
  }, 60_000);

  it('shows every row about a request', async () => {
    const found = await everythingAbout(site.ids[0] ?? '', { url: site.url, log });
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['billing.posting', 'logging.log', 'event_log.record']));
    // Also finds another kind of movement by the id of its posting.
    const [gift] = await sql<{ id: string }>(`select id from billing.posting where code = 'redemption'`);
    const told = await readUntil(
      () => everythingAbout(gift?.id ?? '', { url: site.url, log }),
      (rows) => rows['logging.log'] !== undefined,
      20_000,
    );
    expect(Object.keys(told)).toEqual(
      expect.arrayContaining([
        ...['billing.posting', 'billing.posting_key', 'logging.log', 'logging.event_place', 'event_log.record'],
      ]),
    );
  });

  it('shows administrators only up to which time the books balance', async () => {
    const watch = site.testBed.process.services
      .get('billing')
      ?.app.get<{ check(): Promise<unknown> }>(BooksWatch as never);
    await RequestContext.create(site.testBed.process.services.get('billing')!.app.get(EntityManager), () =>
      watch!.check(),
    );
    const state = await site.testBed.root.data<{ balanced_up_to: number; checked_at: number; faults: number }>(
      'GET',
      '/api/finance/books',
    );
    expect(state).toMatchObject({ faults: 0, first: '' });
    // Checks stay two minutes behind, because events may be on their way between the services.
    expect(Math.abs(state.checked_at - state.balanced_up_to - 120)).toBeLessThan(60);
    expect((await site.testBed.visitor().call('GET', '/api/finance/books')).body.success).toBe(false);
  }, 60_000);

  describeRerating(() => site);
  describeHarms(() => site);

  it('reports a duplicate event as harmless', async () => {
    const [row] = await sql<{ partition: number; key: string; value: string }>(
      `select partition, key, value from event_log.record where topic = 'request-consumed' and value like '%${site.ids[1]}%'`,
    );
    await sql(
      `set search_path = event_log; select append_records('request-consumed', array[${row?.partition}], array['${row?.key}'], array['${row?.value}'])`,
    );
    const report = await look();
    expect(report.faults).toEqual([]);
    expect(report.notices).toEqual([expect.stringContaining(`${site.ids[1]} (2×)`)]);
  }, 60_000);

  it('reads the events a second time only when the requests differ', async () => {
    const lookCounting = async (): Promise<{ rated: number; faults: number }> => {
      let rated = 0;
      const { faults } = await site.look((event, document) => {
        rated += 1;
        return ratingFault(event, document);
      });
      return { rated, faults: faults.length };
    };
    const { rated: once } = await lookCounting();
    const spoilt = async (harm: string, repair: string) => {
      await sql(harm);
      return lookCounting().finally(() => sql(repair));
    };
    const used = (units: number) => `update channel.channel set used_quota = used_quota + ${units} where id = 1`;
    expect(await spoilt(used(1), used(-1))).toEqual({ rated: once, faults: 1 });
    const charged = (units: number) =>
      `update logging.log set quota = quota + ${units} where event_id = '${site.ids[0]}'`;
    const { rated: twice } = await spoilt(charged(1), charged(-1));
    expect(twice).toBe(2 * once);
    expect((await look()).faults).toEqual([]);
  }, 60_000);

  it('names consumers that lag behind when something differs', async () => {
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

  describeReplays(() => site);
});
