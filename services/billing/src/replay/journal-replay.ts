import { RedemptionStatus } from '@tollgate/contracts';
import { runOf } from '../correction/correction-names.js';
import { movedBy } from '../proof/book-checks.js';
import type { Query } from '../seal/chain-rows.js';
import type { ChainedRow } from '../seal/chain-text.js';
import type { ExportedCost, ExportedPrices } from '../seal/journal-export.js';
import { rowset } from '../units.js';

/** An exported row with its cost, where that is known. */
export type ReplayedRow = ChainedRow & Partial<ExportedCost>;

export interface ReplayReport {
  /** Rows of the export, and how many of them the journal lacked. */
  rows: number;
  posted: number;
  /** Price versions that were missing. */
  prices: number;
  /** Orders and codes whose state did not match their postings. */
  states: number;
  /** Tables whose next row would have got a number that the journal already uses. */
  numbers: number;
}

/** What a batch added. */
type Added = Pick<ReplayReport, 'posted' | 'states'>;

/** Attempts at a batch that a booking crosses. */
const ATTEMPTS = 5;
const DEADLOCK = '40P01';

/** Keeps replays apart from each other; bookings are kept apart by the locks of the accounts. */
const ONE_AT_A_TIME = `select pg_advisory_xact_lock(hashtextextended('tollgate:journal-replay', 0))`;

/** Locks the accounts of the movements in the usual order: wallets before tokens, each by id. */
const locks: readonly string[] = [
  `select from "account" where "user_id" in (select (e->>'userId')::int from json_array_elements($1::json) e) order by "user_id" for update`,
  `select from "token" where "id" in (select (e->>'tokenId')::int from json_array_elements($1::json) e) order by "id" for update`,
];

/**
 * Inserts the natural keys before anything is posted, so that a concurrent transaction with the same movement either
 * waits or was first.
 */
const claim = `insert into "posting_key" ("code", "reference", "posting_id", "created_at")
  select e."code", e."reference", e."id", e."bookedAt" from json_to_recordset($1::json) as e("id" uuid, "code" text, "reference" text, "bookedAt" timestamptz)
  order by 1, 2 on conflict do nothing`;

const post = `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "price_version", "replica_epoch",
    "actor_id", "reason", "booked_at", "model", "group", "channel_id", "event_partition", "event_offset", "cost", "cost_version", "upstream_model")
  select e."id", e."code", e."debit", e."credit", e."amount", e."userId", e."tokenId", e."reference", e."priceVersion", e."replicaEpoch",
    e."actorId", e."reason", e."bookedAt", coalesce(e."model", ''), coalesce(e."group", ''), coalesce(e."channelId", 0), e."eventPartition", e."eventOffset",
    e."cost", e."costVersion", coalesce(e."upstreamModel", '')
  from json_to_recordset($1::json) as e("id" uuid, "code" text, "debit" text, "credit" text, "amount" bigint, "userId" int, "tokenId" int,
    "reference" text, "priceVersion" text, "replicaEpoch" text, "actorId" int, "reason" text, "bookedAt" timestamptz, "model" text, "group" text,
    "channelId" int, "eventPartition" int, "eventOffset" bigint, "cost" bigint, "costVersion" int, "upstreamModel" text)
  where e."code" = 'consumption' or exists (select from "posting_key" k where k."code" = e."code" and k."reference" = e."reference" and k."posting_id" = e."id")
  order by e."id" on conflict ("id") do nothing returning "id"`;

const named = `from "posting" where "id" = any($1::uuid[])`;
const source = `(select * ${named}) p`;
const outstanding = (lease: string): string =>
  `greatest(0, ${lease}."granted" - ${lease}."returned" - ${lease}."booked")`;
const isConsumed = `"code" = 'consumption'`;

/**
 * Updates what follows from the new rows. Locks are taken in the same order as by booking: wallets before tokens, each
 * by id.
 */
const consequences: readonly string[] = [
  `insert into "account" as a ("user_id", "credit", "spent", "request_count", "aff_quota", "aff_history_quota")
     select m."user_id", sum(m."credit"), sum(m."spent"), sum(m."requests"), sum(m."aff"), sum(m."earned") from (
       select split_part("account", ':', 2)::int as "user_id", "credit", "spent", "requests", 0 as "aff", 0 as "earned"
         from (${movedBy(source)}) w where "account" like 'wallet:%'
       union all
       select split_part("account", ':', 2)::int, 0, 0, 0, "credit", 0 from (${movedBy(source)}) w where "account" like 'affiliate:%'
       union all
       select split_part("credit", ':', 2)::int, 0, 0, 0, 0, "amount" ${named} and "credit" like 'affiliate:%'
     ) m group by 1 order by 1
   on conflict ("user_id") do update set "credit" = a."credit" + excluded."credit", "spent" = a."spent" + excluded."spent",
     "request_count" = a."request_count" + excluded."request_count", "aff_quota" = a."aff_quota" + excluded."aff_quota",
     "aff_history_quota" = a."aff_history_quota" + excluded."aff_history_quota"`,
  `with m as materialized (
     select split_part("account", ':', 2)::int as "id", "credit", "spent" from (${movedBy(source)}) w where "account" like 'token:%'
   ), locked as materialized (select "id" from "token" where "id" in (select "id" from m) order by "id" for update)
   update "token" t set "credit" = t."credit" + m."credit", "spent" = t."spent" + m."spent" from m join locked using ("id") where t."id" = m."id"`,
  // As in booking, what is taken from outstanding leases is now spent and no longer held. The rows of both funds are
  // locked at this point.
  `with delta as (
     select 'wallet' as "kind", "user_id" as "account_id", "replica_epoch", sum("amount") as "amount" ${named} and ${isConsumed} group by 2, 3
     union all select 'token', "token_id", "replica_epoch", sum("amount") ${named} and ${isConsumed} and "token_id" > 0 group by 2, 3
   ), before as (
     select "kind", "account_id", "replica_epoch", ${outstanding('l')} as "left" from "lease" l join delta using ("kind", "account_id", "replica_epoch")
   ), after as (
     update "lease" l set "booked" = l."booked" + d."amount" from delta d
     where l."kind" = d."kind" and l."account_id" = d."account_id" and l."replica_epoch" = d."replica_epoch"
     returning l."kind", l."account_id", l."replica_epoch", ${outstanding('l')} as "left"
   ), freed as (
     select "kind", "account_id", sum(b."left" - a."left") as "units" from before b join after a using ("kind", "account_id", "replica_epoch") group by 1, 2
   ), wallets as (
     update "account" a set "held" = greatest(0, a."held" - f."units") from freed f where f."kind" = 'wallet' and a."user_id" = f."account_id"
   )
   update "token" t set "held" = greatest(0, t."held" - f."units") from freed f where f."kind" = 'token' and t."id" = f."account_id"`,
];
/** Updates the states of codes and orders that the backup has as they were before their movement. */
const states: readonly string[] = [
  `update "redemption" r set "status" = ${RedemptionStatus.used}, "used_user_id" = p."user_id", "redeemed_time" = extract(epoch from p."booked_at")::bigint
     from "posting" p where p."id" = any($1::uuid[]) and p."code" = 'redemption' and r."id"::text = p."reference" and r."status" <> 3`,
  `update "top_up_order" o set "status" = 'paid', "paid_at" = p."booked_at"
     from "posting" p where p."id" = any($1::uuid[]) and p."code" = 'top-up' and o."trade_no" = p."reference" and o."status" not in ('paid', 'refunded')`,
  `update "top_up_order" o set "status" = 'refunded', "refunded_at" = p."booked_at"
     from "posting" p where p."id" = any($1::uuid[]) and p."code" = 'refund' and o."trade_no" = p."reference" and o."status" <> 'refunded'`,
];

/** Tables whose ids are named in the journal. */
const NUMBERED = ['identity.users', 'billing.token', 'billing.redemption', 'billing.approval'] as const;
type Numbered = (typeof NUMBERED)[number];

const BOOKED_NUMBERS = `select max("user_id") as "identity.users", max("token_id") as "billing.token" from "posting"`;
const raise = `select setval(s."name", $2::bigint) from (select pg_get_serial_sequence($1, 'id')::regclass as "name") s
  where coalesce(pg_sequence_last_value(s."name"), 0) < $2::bigint`;

/** The id of each table that a row names; 0 for none. */
const numbersOf = ({ code, userId, tokenId, reference, reason }: ReplayedRow): Record<Numbered, number> => ({
  'identity.users': userId,
  'billing.token': tokenId,
  'billing.redemption': code === 'redemption' ? Number(reference) || 0 : 0,
  'billing.approval': code === 'correction' ? (runOf(reason)?.approvalId ?? 0) : 0,
});

/**
 * Posts the rows of an export that the journal lacks, of every kind, with their ids, times and natural keys, and moves
 * the balances accordingly. Rows that exist move nothing, so a replay may be repeated, and may run before or after one
 * of the event log. Each batch is a transaction.
 */
export class JournalReplay {
  readonly report: ReplayReport = { rows: 0, posted: 0, prices: 0, states: 0, numbers: 0 };
  private readonly most = new Map<Numbered, number>();

  constructor(private readonly query: Query) {}

  /** Adds missing price versions; call it first, because charges name them. */
  async addPrices(prices: readonly ExportedPrices[]): Promise<void> {
    const rows = await this.query(
      `insert into "price_version" ("id", "document", "created_at")
       select e."id", e."document", e."createdAt" from json_to_recordset($1::json) as e("id" text, "document" jsonb, "createdAt" timestamptz)
       on conflict ("id") do nothing returning "id"`,
      [rowset(prices)],
    );
    this.report.prices += rows.length;
  }

  async addRows(rows: readonly ReplayedRow[]): Promise<void> {
    for (const row of rows) this.noteNumbers(row);
    const { posted, states: changed } = await this.commitBatch(rows);
    this.report.rows += rows.length;
    this.report.posted += posted;
    this.report.states += changed;
  }

  /**
   * Raises the tables' sequences. Users, tokens and codes created after the backup are lost, but their movements are
   * not, so their ids must not be given to new rows, which would thereby get their wallets.
   */
  async keepNumbers(): Promise<void> {
    // Charges from the event log may be newer than the export.
    const [booked] = await this.query<Partial<Record<Numbered, number | null>>>(BOOKED_NUMBERS);
    for (const table of NUMBERED) this.note(table, booked?.[table] ?? 0);
    for (const [table, most] of this.most) {
      const [there] = await this.query<{ yes: boolean }>('select to_regclass($1) is not null as "yes"', [table]);
      if (there?.yes === true) this.report.numbers += (await this.query(raise, [table, most])).length;
    }
  }

  private noteNumbers(row: ReplayedRow): void {
    const numbers = numbersOf(row);
    for (const table of NUMBERED) this.note(table, numbers[table]);
  }

  private note(table: Numbered, number: number): void {
    if (number > (this.most.get(table) ?? 0)) this.most.set(table, number);
  }

  /**
   * Movements lock accounts before they post and bookings post before they lock, so a batch of both may wait for a
   * booking that waits for it.
   */
  private async commitBatch(rows: readonly ReplayedRow[]): Promise<Added> {
    for (let attempt = 1; ; attempt += 1) {
      await this.query('begin');
      try {
        const added = await this.addBatch(rows);
        await this.query('commit');
        return added;
      } catch (error) {
        await this.query('rollback');
        if ((error as { code?: string }).code !== DEADLOCK || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async addBatch(rows: readonly ReplayedRow[]): Promise<Added> {
    await this.query(ONE_AT_A_TIME);
    const movements = rows.filter(({ code }) => code !== 'consumption');
    if (movements.length > 0) for (const text of [...locks, claim]) await this.query(text, [rowset(movements)]);
    const fresh = await this.query<{ id: string }>(post, [rowset(rows)]);
    const ids = fresh.map(({ id }) => id);
    const added = { posted: ids.length, states: 0 };
    if (ids.length === 0) return added;
    for (const text of consequences) await this.query(text, [ids]);
    for (const text of states) added.states += await this.count(text, ids);
    return added;
  }

  private async count(text: string, ids: readonly string[]): Promise<number> {
    return (await this.query(`${text} returning 1 as "one"`, [ids])).length;
  }
}
