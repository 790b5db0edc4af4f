import { beforeAll, describe, expect, it } from '@jest/globals';
import { everythingAbout, type ReconcileReport } from '@tollgate/operations';
import { log, type ReconcileSite } from './reconcile-site.js';

/** The rows are restored after each change. `ID` is a request, `OTHER` another one. */
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
    'a movement whose key names another posting',
    'billing.posting_key',
    `update billing.posting_key set posting_id = (select id from billing.posting where code = 'admin-adjustment' limit 1) where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a movement whose key has another name',
    'billing.posting_key',
    `update billing.posting_key set reference = reference || '0' where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a movement with two keys',
    'billing.posting_key',
    `insert into billing.posting_key (code, reference, posting_id) select code, reference || '0', posting_id from billing.posting_key where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
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
    'a wallet of nobody',
    'billing.account',
    `insert into billing.account (user_id, credit) values (999, 5)`,
    'wallet:999',
  ],
  [
    'spending moved between wallets',
    'billing.account',
    `update billing.account set spent = spent + case user_id when 2 then -5 else 5 end`,
    'wallet:1',
  ],
  ['a token with other spending', 'billing.token', `update billing.token set spent = spent - 1`, /token:/],
  [
    'a token doubled',
    'billing.token',
    `insert into billing.token (id, user_id, name, key_hash, key_sealed, key_hint, created_time, spent) overriding system value
       select 999, user_id, name, 'another hash', key_sealed, key_hint, created_time, spent from billing.token limit 1`,
    'token:999',
  ],
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
    'a correction moved to another user',
    'billing.posting',
    `update billing.posting set user_id = 1, token_id = 0, debit = replace(debit, 'wallet:2', 'wallet:1') where code = 'correction'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a lease moved to another wallet',
    'billing.lease',
    `update billing.lease set account_id = 1 where kind = 'wallet' and account_id = 2`,
    /wallet:1 lent to/,
  ],
  [
    'a lease doubled',
    'billing.lease',
    `insert into billing.lease (kind, account_id, replica_epoch, granted, booked)
       select kind, account_id, 'another run', 900, 900 from billing.lease where kind = 'wallet' and account_id = 2 limit 1`,
    'wallet:2 lent to another run',
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
  [
    'a used code doubled',
    'billing.redemption',
    `insert into billing.redemption (id, user_id, name, key_hash, key_sealed, quota, created_time, status, used_user_id) overriding system value
       select 999, user_id, name, 'another hash', key_sealed, quota, created_time, status, used_user_id from billing.redemption where status = 3`,
    'code:999',
  ],
  ['a code removed', 'billing.redemption', `delete from billing.redemption`, /^code:/],
  ['a code of another amount', 'billing.redemption', `update billing.redemption set quota = quota + 1`, /^code:/],
  [
    'a paid order without a posting',
    'billing.top_up_order',
    `insert into billing.top_up_order (user_id, trade_no, provider, method, merchant, status, amount, quota, money, currency, created_at, expires_at) values (2, 'T9', 'epay', 'a', 'b', 'paid', 1, 500, '1', 'CNY', now(), now())`,
    'order:T9',
  ],
  ['a paid order removed', 'billing.top_up_order', `delete from billing.top_up_order where status = 'paid'`, /^order:/],
  [
    'a paid order that waits again',
    'billing.top_up_order',
    `update billing.top_up_order set status = 'pending' where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of another amount',
    'billing.top_up_order',
    `update billing.top_up_order set quota = quota + 1 where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order moved to another user',
    'billing.top_up_order',
    `update billing.top_up_order set user_id = 1 where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of other money',
    'billing.top_up_order',
    `update billing.top_up_order set money = '0.01' where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of another currency',
    'billing.top_up_order',
    `update billing.top_up_order set currency = 'XXX'`,
    /^order:/,
  ],
  [
    'the posting of an order removed',
    'billing.posting',
    `delete from billing.posting where code = 'top-up'`,
    /^order:/,
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
    'a price version that is known since another day',
    'billing.price_version',
    `update billing.price_version set created_at = created_at - interval '1 day'`,
    /^price version/,
  ],
  [
    'prices that came into force on another day',
    'billing.price_publication',
    `update billing.price_publication set published_at = published_at - interval '1 day'`,
    /^price version/,
  ],
  [
    'a publication of prices removed',
    'billing.price_publication',
    `delete from billing.price_publication`,
    /^price version/,
  ],
  [
    'a publication of prices that nobody made',
    'billing.price_publication',
    `insert into billing.price_publication select revision + 100, price_version, option_revision, published_at from billing.price_publication order by 1 desc limit 1`,
    /^price version/,
  ],
  [
    'a line of an invoice with other tokens',
    'billing.invoice_line',
    `update billing.invoice_line set input = input + 1`,
    /^invoice:/,
  ],
  [
    'a line of an invoice removed',
    'billing.invoice_line',
    `delete from billing.invoice_line where model = 'gpt-4o'`,
    /^invoice:/,
  ],
  ['all lines of an invoice removed', 'billing.invoice_line', `delete from billing.invoice_line`, /^invoice:/],
  [
    'a line of an invoice added',
    'billing.invoice_line',
    `insert into billing.invoice_line select invoice_id, day, 'another', requests, input, cached, output, amount from billing.invoice_line limit 1`,
    /^invoice:/,
  ],
  ['an invoice removed', 'billing.invoice', `delete from billing.invoice`, /^invoice:/],
  ['an invoice for other channels', 'billing.invoice', `update billing.invoice set channel_ids = '{7}'`, /^invoice:/],
  [
    'a statement with another sum',
    'billing.statement_day',
    `update billing.statement_day set amount = amount + 1 where code = 'consumption'`,
    /^statement of .* for user 2, consumption/,
  ],
  ['a statement removed', 'billing.statement_day', `delete from billing.statement_day`, /^statement of .* for user 2/],
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
  ['a log row moved to another user', 'logging.log', `update logging.log set user_id = 1 where event_id = 'ID'`, 'ID'],
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
  ['a charged task removed', 'channel.task', `delete from channel.task where not is_refunded`, /^task:/],
  [
    'a task of another price',
    'channel.task',
    `update channel.task set quota = quota + 1 where not is_refunded`,
    /^task:/,
  ],
  [
    'a task moved to another user',
    'channel.task',
    `update channel.task set user_id = 1 where not is_refunded`,
    /^task:/,
  ],
  ['a refund of a task removed', 'billing.task_refund', `delete from billing.task_refund`, /^task:/],
  [
    'a refund moved to another task',
    'billing.task_refund',
    `update billing.task_refund set request_id = (select request_id from channel.task where not is_refunded)`,
    /^task:/,
  ],
  [
    'more given back for a task than was charged',
    'billing.posting',
    `update billing.posting set amount = amount + 1 where code = 'task-refund'`,
    /^task:/,
  ],
  [
    'a refund of a task that was given back twice',
    'billing.posting',
    `insert into billing.posting (id, code, debit, credit, amount, user_id, token_id, reference)
       select gen_random_uuid(), code, debit, credit, amount, user_id, token_id, reference from billing.posting where code = 'task-refund'`,
    /^wallet:/,
  ],
  [
    'an event that was put aside',
    'billing.quarantined_event',
    `insert into billing.quarantined_event (topic, partition, record_offset, handler, key, value, error, attempts, event_id) values ('request-consumed', 0, 1, 'h', '1', '{}', 'broken', 1, '01900000-0000-7000-8000-000000000002')`,
    /^01900000/,
  ],
];

/** One row of each store is deleted, duplicated, altered or moved; each must be reported. */
export function describePlants(site: () => ReconcileSite): void {
  describe('what somebody has done to the rows', () => {
    const sql = <Row extends object>(text: string): Promise<Row[]> => site().sql<Row>(text);
    const look = (): Promise<ReconcileReport> => site().look();

    beforeAll(() => site().payAndDraw(), 120_000);

    it.each(plants)(
      'names %s',
      (_, table, harm, named) => site().withoutChaining(() => namesHarm(table, harm, named)),
      60_000,
    );

    async function namesHarm(table: string, harm: string, named: string | RegExp): Promise<void> {
      const { ids, url } = site();
      const id = ids[2] ?? '';
      const [columns] = await sql<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      );
      // Triggers refuse such changes, but an owner of the schema can disable them.
      const aside = `set session_replication_role = replica`;
      await sql(`create table kept as select ${columns?.names} from ${table}`);
      try {
        await sql(`${aside}; ${harm.replaceAll('ID', id)}`);
        const { faults } = await look();
        const subjects = faults.map(({ subject, store }) => `${subject} (${store})`);
        const wanted = typeof named === 'string' ? named.replace('ID', id) : named;
        const fault = faults.find(({ subject }) =>
          typeof wanted === 'string' ? subject === wanted : wanted.test(subject),
        );
        expect(fault ? 'named' : subjects).toBe('named');
        // The command that the report suggests must show something.
        expect(Object.keys(await everythingAbout(fault?.subject ?? '', { url, log }))).not.toEqual([]);
      } finally {
        await sql(
          `${aside}; delete from ${table}; insert into ${table} (${columns?.names}) overriding system value select * from kept; drop table kept`,
        );
      }
    }

    it('and nothing any more once all of it is as it was', async () => {
      expect((await look()).faults).toEqual([]);
    }, 60_000);
  });
}
