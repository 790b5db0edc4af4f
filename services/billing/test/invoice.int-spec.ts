import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from '@tollgate/contracts';
import type { Invoice, InvoiceResult } from '@tollgate/contracts/api/invoice';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { billing } from '../src/index.js';
import { ChannelDayFold } from '../src/invoice/channel-day-fold.js';
import { Migration20261123090000_sum_channel_days } from '../src/migrations/Migration20261123090000_sum_channel_days.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const admin: TestCaller = { id: 2, role: 10 };
const DAY = '2026-11-20';

const dayIn = (zone: string, time: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(time);

suite('invoices of providers', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
    const at = (id: number) => uuidv7({ msecs: Date.parse(`${DAY}T10:00:00Z`) + id });
    const events = [1, 2, 3].map((id) =>
      consumed(
        { userId: 5, quota: 40, model: 'fast', upstreamModel: 'gpt-4o-mini', channelId: id < 3 ? 7 : 8 },
        at(id),
      ),
    );
    await testBed.inContext(() => testBed.get(BookingService).book(events));
    testBed.neighbours.usage = [
      {
        ...{ channelId: 7, day: DAY, model: 'fast', sent: 'gpt-4o-mini', source: 'upstream', requests: 2 },
        ...{ input: 100, cached: 10, output: 20 },
      },
    ];
  });
  afterAll(() => testBed.close());

  /** Computes what the migration would insert for the current journal, without changing anything. */
  const startedAnew = async () => {
    const em = testBed.get(EntityManager).fork();
    const migration = new Migration20261123090000_sum_channel_days(em.getDriver(), em.config);
    migration.up();
    await em.begin();
    try {
      for (const query of migration.getQueries()) await em.execute(query);
      return await em.execute(`select "zone", "first_day"::text as "day", (select count(*) from "channel_day") as "held"
        from "channel_day_start" order by 1`);
    } finally {
      await em.rollback();
    }
  };

  const csv = (input: number) =>
    `start_time_iso,model,num_model_requests,input_tokens,input_cached_tokens,output_tokens\n${DAY}T00:00:00+00:00,gpt-4o-mini-2024-07-18,2,${input},10,20\n`;
  const importCsv = (more: object, as = admin) =>
    testBed.harness.request<Invoice>('POST', '/api/invoice', {
      as,
      body: { name: 'November', format: 'openai', channel_ids: [7], csv: csv(100), ...more },
    });
  const read = async <T>(path: string, query: Record<string, string> = {}): Promise<T> => {
    const { body } = await testBed.harness.request<T>('GET', path, { as: admin, query });
    if (!body.success) throw new Error(body.message);
    return body.data as T;
  };

  it('are stored with their importer, and compared with what was reported and booked', async () => {
    const { body } = await importCsv({ channel_ids: [7, 7] });
    expect(body.data).toMatchObject({ first_day: DAY, last_day: DAY, rows: 1, channel_ids: [7], imported_by: 2 });
    const { id } = body.data as Invoice;
    const { matches, complete, invoice } = await read<InvoiceResult>(`/api/invoice/${id}`);
    expect([complete, invoice.digest]).toEqual([true, (body.data as Invoice).digest]);
    const tokens = { requests: 2, input: 100, cached: 10, output: 20 };
    expect(matches).toMatchObject([
      {
        ...{ day: DAY, model: 'gpt-4o-mini', state: 'matches', upstream: tokens, ours: tokens },
        ...{ journal: { requests: 2, sales: 80, cost: null }, difference: { input: 0, output: 0 } },
      },
    ]);
    expect((await importCsv({})).body).toMatchObject({ code: 'invoice-known', params: { id } });
    // The same file saved by another program.
    const others = [
      csv(100).replaceAll('\n', '\r\n'),
      `\uFEFF${csv(100)}`,
      csv(100).trimEnd(),
      `${csv(100).replaceAll('\n', '\r')}\n\n`,
    ];
    for (const text of others)
      expect((await importCsv({ csv: text })).body).toMatchObject({ code: 'invoice-known', params: { id } });
    const { items } = await read<Page<Invoice>>('/api/invoice');
    expect(items.map((row) => row.id)).toEqual([id]);
    const actions = await testBed.outbox<{ action: string }>('admin-action');
    expect(actions.filter(({ action }) => action === 'invoice-import')).toHaveLength(1);
    await expect(testBed.sql(`update "invoice_line" set "input" = 1`)).rejects.toThrow();
  });

  it('can be read where the costs of a day exceed the safe integers', async () => {
    const { items } = await read<Page<Invoice>>('/api/invoice');
    const cost = (units: string) => testBed.sql(`update "channel_day" set "cost" = ${units}, "costed" = "requests"`);
    await cost('20000000000000001');
    const { matches } = await read<InvoiceResult>(`/api/invoice/${items[0]?.id}`);
    expect(matches).toMatchObject([{ journal: { sales: 80, cost: 20_000_000_000_000_000 } }]);
    await testBed.sql(`update "channel_day" set "cost" = 0, "costed" = 0`);
  });

  it('show where they differ, and which requests may explain it', async () => {
    const { body } = await importCsv({ csv: csv(130) });
    const { id } = body.data as Invoice;
    const { matches } = await read<InvoiceResult>(`/api/invoice/${id}`);
    expect(matches).toMatchObject([{ state: 'differs', difference: { input: 30, output: 0 } }]);
    const { text, headers } = await testBed.harness.request('GET', `/api/invoice/${id}/export`, { as: admin });
    expect(headers['content-type']).toContain('text/csv');
    expect(text.trim().split('\r\n')[1]).toContain(`${DAY},gpt-4o-mini,differs,2,130,10,20,`);
    const query = { day: DAY, model: 'gpt-4o-mini' };
    const none = { items: [], total: 0 };
    expect(await read(`/api/invoice/${id}/requests`, query)).toEqual({ ...none, complete: true });
    testBed.neighbours.logCleared = true;
    expect(await read(`/api/invoice/${id}/requests`, query)).toEqual({ ...none, complete: false });
    expect(testBed.neighbours.asked).toMatchObject({ channelIds: [7], day: DAY, models: ['gpt-4o-mini'], zone: 'UTC' });
    for (const day of ['2026-99-99', '2026-02-30', '0001-01-01']) {
      const path = `/api/invoice/${id}/requests`;
      const { body: refusal } = await testBed.harness.request('GET', path, { as: admin, query: { ...query, day } });
      expect((refusal as { code?: string }).code).toBe('invalid-input');
    }
  });

  it('separate what one channel sent under two names; shards are merged once the day is over', async () => {
    const at = (id: number) => uuidv7({ msecs: Date.parse('2026-11-05T10:00:00Z') + id });
    const sent = (id: number, upstreamModel: string, quota: number) =>
      consumed({ userId: 5, quota, model: 'fast', upstreamModel, channelId: 17 }, at(id));
    const tokens = { requests: 1, input: 10, cached: 0, output: 2 };
    const of = { channelId: 17, day: '2026-11-05', model: 'fast', source: 'upstream' as const };
    const before = testBed.neighbours.usage;
    testBed.neighbours.usage = ['big', 'small'].map((name) => ({ ...of, ...tokens, sent: name }));
    // Each uses a connection of its own, so some rows are in separate shards.
    await Promise.all(
      [sent(1, 'big', 100), sent(2, 'small', 7)].map((event) =>
        testBed.inContext(() => testBed.get(BookingService).book([event])),
      ),
    );
    const text = `start_time_iso,model,num_model_requests,input_tokens,output_tokens\n2026-11-05T00:00:00+00:00,big,1,10,2\n2026-11-05T00:00:00+00:00,small,1,10,2\n`;
    const { body } = await importCsv({ csv: text, channel_ids: [17] });
    const { id } = body.data as Invoice;
    const sales = async () =>
      (await read<InvoiceResult>(`/api/invoice/${id}`)).matches.map(({ model, state, journal }) => [
        ...[model, state, journal.requests, journal.sales],
      ]);
    const both = [
      ['small', 'matches', 1, 7],
      ['big', 'matches', 1, 100],
    ];
    expect(await sales()).toEqual(both);

    await testBed.sql(
      `update "channel_day" set "shard" = 3 where "channel_id" = 17 and "model" = 'fast' and "sent" = 'big'`,
    );
    await testBed.sql(`insert into "channel_day" select "channel_id", "zone", "day", "model", s, 1, 1, 0, 0, 'big'
      from "channel_day", generate_series(4, 6) s where "channel_id" = 17 and "sent" = 'big'`);
    const today = uuidv7();
    await testBed.inContext(() => testBed.get(BookingService).book([consumed({ userId: 5, channelId: 18 }, today)]));
    await testBed.sql(`update "channel_day" set "shard" = 5 where "channel_id" = 18`);
    const em = testBed.get(EntityManager).fork();
    await em.begin();
    // A row that another transaction is updating is skipped until the next run, without waiting.
    await em.execute(
      `select 1 from "channel_day" where "channel_id" = 17 and "sent" = 'big' and "shard" = 6 for update`,
    );
    await testBed.inContext(() => testBed.get(ChannelDayFold).fold(2));
    await em.rollback();
    const apart = () =>
      testBed.sql(
        `select "channel_id"::int as "channel", count(*)::int as "rows" from "channel_day" where "shard" <> 0 and "channel_id" in (17, 18) group by 1 order by 1`,
      );
    expect(await apart()).toEqual([
      { channel: 17, rows: 2 },
      { channel: 18, rows: 2 },
    ]);
    const folded = [both[0], ['big', 'matches', 4, 103]];
    expect(await sales()).toEqual(folded);
    await Promise.all([1, 2, 3].map(() => testBed.inContext(() => testBed.get(ChannelDayFold).fold(1))));
    expect(await apart()).toEqual([{ channel: 18, rows: 2 }]);
    expect(await sales()).toEqual(folded);
    await testBed.sql(
      `update "channel_day" set "requests" = 1, "sales" = 100 where "channel_id" = 17 and "sent" = 'big'`,
    );
    testBed.neighbours.usage = before;
  });

  it('may have a hundred thousand rows, like a month of many keys', async () => {
    const row = (key: number) =>
      `1763640000,1763640060,${DAY}T12:00:00+00:00,${DAY}T12:01:00+00:00,project_of_a_team,3.0,,key_${key},gpt-4o-mini-2024-07-18,False,4212,1673,1280`;
    const head =
      'start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,input_tokens,output_tokens,input_cached_tokens';
    const rows = 100_000;
    const { body } = await importCsv({
      csv: [head, ...Array.from({ length: rows }, (_, key) => row(key)), ''].join('\n'),
    });
    expect(body).toMatchObject({ success: true, data: { rows } });
    const { totals } = await read<InvoiceResult>(`/api/invoice/${(body.data as Invoice).id}`);
    expect(totals.invoice).toMatchObject({ requests: 3 * rows, input: 4212 * rows, amount: null });
  });

  it('can be imported again with the right columns after wrong ones, and with each columns once', async () => {
    const text = `day,model,input,output\n${DAY},gpt-4o-mini,100,20\n`;
    const imported = async (input: string, output: string) => {
      const columns = { day: 'day', model: 'model', input, output };
      const { body } = await importCsv({ format: 'columns', columns, csv: text });
      return body as typeof body & { data: Invoice };
    };
    const wrong = await imported('output', 'input');
    const right = await imported('input', 'output');
    const { matches } = await read<InvoiceResult>(`/api/invoice/${right.data.id}`);
    expect(matches).toMatchObject([{ invoice: { input: 100, output: 20 } }]);
    const known = (of: typeof right) => ({ code: 'invoice-known', params: { id: of.data.id } });
    expect([await imported('output', 'input'), await imported('input', 'output')]).toMatchObject(
      [wrong, right].map(known),
    );
    const { items } = await read<Page<Invoice>>('/api/invoice');
    expect(items.slice(0, 2).map(({ id }) => id)).toEqual([right.data.id, wrong.data.id]);
  });

  it('are accepted for existing and former channels only', async () => {
    testBed.neighbours.goneChannels = new Set([8, 999]);
    const { body } = await importCsv({ channel_ids: [7, 8, 999] });
    expect(body).toMatchObject({ code: 'channels-unknown', params: { ids: '999' } });
    // The channel served requests before it was deleted, and its last invoice comes later.
    expect((await importCsv({ channel_ids: [7, 8] })).body.success).toBe(true);
  });

  describe('go by the days of their provider, without failed requests,', () => {
    let path: string;
    const ours = async () => {
      const { matches } = await read<InvoiceResult>(path);
      return matches.filter(({ model }) => model === 'west').map(({ day, journal }) => ({ day, ...journal }));
    };
    const sold = [
      { day: '2026-11-12', requests: 1, sales: 4, cost: null, costed: 0 },
      { day: '2026-11-11', requests: 1, sales: 3, cost: null, costed: 0 },
    ];
    beforeAll(async () => {
      const at = (time: string) => uuidv7({ msecs: Date.parse(time) });
      // Seven in the evening of the day before, in California.
      const events = [
        consumed({ userId: 5, quota: 3, model: 'west', channelId: 9 }, at('2026-11-12T03:00:00Z')),
        consumed({ userId: 5, quota: 4, model: 'west', channelId: 9 }, at('2026-11-12T12:00:00Z')),
        consumed({ userId: 5, quota: 0, model: 'west', channelId: 9, outcome: 'failed' }, at('2026-11-12T12:00:01Z')),
      ];
      await testBed.inContext(() => testBed.get(BookingService).book(events));
      await testBed.inContext(() => testBed.get(BookingService).book(events));
      const head = 'Date,SKU description,Usage amount,Usage unit';
      const row = (day: string) => `${day},west input token,1,count`;
      const { body } = await importCsv({
        ...{ format: 'google', channel_ids: [9], csv: [head, row('2026-11-11'), row('2026-11-12'), ''].join('\n') },
      });
      path = `/api/invoice/${(body.data as Invoice).id}`;
    });

    it('from sums alone where the journal was empty when they began', async () => {
      expect(await testBed.sql(`select distinct "first_day"::text as "day" from "channel_day_start"`)).toEqual([
        { day: '-infinity' },
      ]);
      expect(await ours()).toEqual(sold);
    });

    it('from rows for days that the sums do not cover completely', async () => {
      const startOn = (day: string) =>
        testBed.sql(`update "channel_day_start" set "first_day" = ? where "zone" = 'America/Los_Angeles'`, [day]);
      const faults = async () => {
        const check = billing.database?.checks?.find(({ store }) => store === 'billing.channel_day');
        const [from, to] = [Date.parse('2026-11-01') / 1000, Date.parse('2026-12-01') / 1000];
        const query = check?.query.replaceAll(':from', String(from)).replaceAll(':to', String(to)) ?? '';
        const rows = await testBed.sql<{ subject: string }>(query);
        return rows.map(({ subject }) => subject);
      };
      await startOn('2026-11-12');
      expect(await ours()).toEqual(sold);
      // Of the day in which they began, the sums only have a part.
      await testBed.sql(`update "channel_day" set "sales" = "sales" + 1, "requests" = "requests" + 1
        where "channel_id" = 9 and "zone" = 'America/Los_Angeles'`);
      expect(await ours()).toEqual([{ ...sold[0], requests: 2, sales: 5 }, sold[1]]);
      expect(await faults()).toEqual(['channel 9 on 2026-11-12 America/Los_Angeles, west']);
      await startOn('2026-11-13');
      expect(await ours()).toEqual(sold);
      expect(await faults()).toEqual([]);
      await testBed.sql(`delete from "channel_day" where "channel_id" = 9 and "zone" = 'America/Los_Angeles'`);
      expect(await ours()).toEqual(sold);
      await startOn('-infinity');
      expect(await ours()).toEqual([]);
    });

    it('from the day after the one in which the sums of a journal with rows began', async () => {
      const days = await startedAnew();
      const zones = ['America/Los_Angeles', 'UTC'];
      const tomorrow = (zone: string) => dayIn(zone, new Date(Date.now() + 86_400_000));
      expect(days).toEqual(zones.map((zone) => ({ zone, day: tomorrow(zone), held: '0' })));
    });
  });

  it('are refused with the line that is wrong, and are nothing for users', async () => {
    const code = async (more: object, as = admin) => ((await importCsv(more, as)).body as { code?: string }).code;
    expect(await code({ csv: csv(1).replace('20\n', 'many\n') })).toBe('invoice-cell');
    expect(await code({ csv: 'a,b\n1,2\n' })).toBe('invoice-without-columns');
    expect(await code({ format: 'columns' })).toBe('invalid-input');
    expect(await code({ channel_ids: [] })).toBe('invalid-input');
    expect(await code({ format: 'excel' })).toBe('invalid-input');
    const columns = { day: 'd', model: 'm', input: 'i' };
    const named = (text: string, more = {}) => code({ format: 'columns', columns: { ...columns, ...more }, csv: text });
    expect(await named(`d,m,i,i\n${DAY},fast,1,2\n`)).toBe('invoice-column-twice');
    expect(await named(`d,m,i\n${DAY},fast\n`)).toBe('invoice-unreadable');
    expect(await named(`d,m,i\n${DAY},fa\0st,1\n`)).toBe('invoice-unreadable');
    expect(await named(`d,m,i\n${DAY},fast,1\n`, { output: 'i' })).toBe('invalid-input');
    expect((await importCsv({}, { id: 5, role: 1 })).body.success).toBe(false);
    const missing = await testBed.harness.request('GET', '/api/invoice/999', { as: admin });
    expect((missing.body as { code?: string }).code).toBe('invoice-not-found');
  });
});
