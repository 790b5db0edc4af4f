import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { tokenChanged } from '@tollgate/contracts';
import { bound, Outbox } from '@tollgate/database';
import { type BookingSums, type Consumption, type LeaseSum, sumsOf } from './booking-sums.js';
import { CostBook, type RequestCost } from './cost-book.js';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { insertPostings, postingColumns } from './posting-insert.js';
import { rowset, units } from '../units.js';

interface BookedBalance {
  userId: number;
  /** credit − spent after the booking. */
  quota: number;
}

interface BookedBatch {
  /** The events of the batch that had not been booked before. */
  fresh: Consumption[];
  balances: BookedBalance[];
}

/**
 * Books consumption. The event id is the posting's primary key, so an existing posting is already booked, and only
 * inserted postings move balances. Booking never refuses: a wallet without a row gets one, and a token or lease that
 * does not exist is not moved. A batch of any size takes a handful of statements; rows are locked in the order wallets,
 * tokens, by id.
 */
@Injectable()
export class BookingService {
  constructor(
    private readonly em: EntityManager,
    private readonly revisions: ChangeRevisions,
    private readonly outbox: Outbox,
    private readonly costs: CostBook,
  ) {}

  async book(batch: readonly Consumption[]): Promise<BookedBatch> {
    const costs = await this.costs.costsOf(batch);
    return this.em.transactional(async () => {
      const inserted = await this.insertPostings(batch, costs);
      // An id that occurs twice in a batch is one posting; its first event counts as fresh.
      const fresh = batch.filter((event) => inserted.delete(event.id.toLowerCase()));
      if (fresh.length === 0) return { fresh, balances: [] };
      return { fresh, balances: await this.apply(sumsOf(fresh)) };
    });
  }

  private async insertPostings(
    batch: readonly Consumption[],
    costs: ReadonlyMap<string, RequestCost>,
  ): Promise<Set<string>> {
    const inserted = await bound<{ id: string }>(this.em, insertPostings, postingColumns(batch, costs));
    return new Set(inserted.map((row) => row.id));
  }

  private async apply(sums: BookingSums): Promise<BookedBalance[]> {
    await this.lockAccounts(sums.accounts.map(({ id }) => id));
    await this.lockTokens(sums.tokens.map(({ id }) => id));
    const freed = await this.bookLeases(sums.leases);
    const balances = await this.bookAccounts(sums, freed);
    const exhausted = await this.bookTokens(sums, freed);
    if (exhausted.length > 0) await this.announce(exhausted);
    return balances;
  }

  private async lockAccounts(ids: number[]): Promise<void> {
    const lock = (): Promise<object[]> =>
      bound<object>(this.em, `select 1 from "account" where "user_id" = any($1::int[]) order by "user_id" for update`, [
        ids,
      ]);
    if ((await lock()).length === ids.length) return;
    await this.em.execute(
      `insert into "account" ("user_id") select value::int from json_array_elements_text(?::json) order by 1 on conflict do nothing`,
      [JSON.stringify(ids)],
      'run',
    );
    await lock();
  }

  private async lockTokens(ids: number[]): Promise<void> {
    if (ids.length === 0) return;
    await bound(this.em, `select 1 from "token" where "id" = any($1::int[]) order by "id" for update`, [ids]);
  }

  /** Deducts the booking from outstanding leases. Returns per fund how much less is held, since it is now spent. */
  private async bookLeases(leases: readonly LeaseSum[]): Promise<Map<string, number>> {
    const rows = await bound<{ kind: string; account_id: number; freed: unknown }>(
      this.em,
      `with delta as (
         select * from json_to_recordset($1::json) as d("kind" text, "account_id" int, "replica_epoch" text, "booked" bigint)
       ), before as (
         select l."kind", l."account_id", l."replica_epoch", greatest(0, l."granted" - l."returned" - l."booked") as "outstanding"
         from "lease" l join delta using ("kind", "account_id", "replica_epoch")
       ), after as (
         update "lease" l set "booked" = l."booked" + d."booked" from delta d
         where l."kind" = d."kind" and l."account_id" = d."account_id" and l."replica_epoch" = d."replica_epoch"
         returning l."kind", l."account_id", l."replica_epoch", greatest(0, l."granted" - l."returned" - l."booked") as "outstanding"
       )
       select "kind", "account_id", sum(b."outstanding" - a."outstanding") as "freed"
       from before b join after a using ("kind", "account_id", "replica_epoch") group by 1, 2`,
      [rowset(leases)],
    );
    return new Map(rows.map((row) => [`${row.kind}:${row.account_id}`, units(row.freed)]));
  }

  private async bookAccounts({ accounts }: BookingSums, freed: ReadonlyMap<string, number>): Promise<BookedBalance[]> {
    const rows = await bound<{ user_id: number; quota: unknown }>(
      this.em,
      `update "account" a set "spent" = a."spent" + d."spent", "request_count" = a."request_count" + d."requests", "held" = greatest(0, a."held" - d."freed")
       from json_to_recordset($1::json) as d("id" int, "spent" bigint, "requests" bigint, "freed" bigint)
       where a."user_id" = d."id" returning a."user_id", a."credit" - a."spent" as "quota"`,
      [rowset(accounts.map((row) => ({ ...row, freed: freed.get(`wallet:${row.id}`) ?? 0 })))],
    );
    return rows.map((row) => ({ userId: row.user_id, quota: units(row.quota) }));
  }

  /** Returns the ids of tokens whose budget this booking used up. */
  private async bookTokens({ tokens }: BookingSums, freed: ReadonlyMap<string, number>): Promise<number[]> {
    if (tokens.length === 0) return [];
    const rows = await bound<{ id: number; ran_out: boolean }>(
      this.em,
      `update "token" t set "spent" = t."spent" + d."spent", "accessed_time" = greatest(t."accessed_time", d."accessed"), "held" = greatest(0, t."held" - d."freed")
       from json_to_recordset($1::json) as d("id" int, "spent" bigint, "accessed" bigint, "freed" bigint)
       where t."id" = d."id"
       returning t."id", t."deleted_at" is null and not t."unlimited_quota" and t."credit" <= t."spent" and t."credit" > t."spent" - d."spent" as "ran_out"`,
      [rowset(tokens.map((row) => ({ ...row, freed: freed.get(`token:${row.id}`) ?? 0 })))],
    );
    return rows.filter((row) => row.ran_out).map((row) => row.id);
  }

  private async announce(tokenIds: number[]): Promise<void> {
    const revision = await this.revisions.next('token');
    const rows = await this.em.execute<{ id: number; user_id: number }[]>(
      `update "token" set "revision" = ? where "id" in (select value::int from json_array_elements_text(?::json)) returning "id", "user_id"`,
      [revision, JSON.stringify(tokenIds)],
    );
    for (const row of rows) await this.outbox.add(tokenChanged, { userId: row.user_id, tokenId: row.id, revision });
  }
}
