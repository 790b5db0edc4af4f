import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { FundKind } from '@tollgate/contracts';
import { rowset, units } from '../units.js';
import { type BeatReport, type Fund, type FundId, LeaseBook, type LeaseCounters } from './lease-book.js';

type Row = Record<string, unknown>;

/** The counters of one account in a heartbeat, in cumulative units. */
export type AccountReport = FundId & BeatReport;

/** What is stored of a fund that a heartbeat names. */
interface Named extends FundId {
  granted: number;
  /** More was granted than is reported. */
  isMore: boolean;
  /** More is reported to be granted, returned or spent than is stored. */
  isNews: boolean;
}

/**
 * Loads and stores the data of a `LeaseBook`. A lease is read and written only under the lock of its fund's row. Locks
 * are taken in the same order everywhere: replica, wallets by id, tokens by id.
 */
@Injectable()
export class LeaseQueries {
  constructor(private readonly em: EntityManager) {}

  /**
   * Registers a new run of a replica; false for a run that has expired. The row is share-locked, so that expiry waits
   * for the caller's transaction.
   */
  async admit(epoch: string): Promise<boolean> {
    const find = (): Promise<Row[]> =>
      this.em.execute<Row[]>(`select "expired_at" from "replica" where "epoch" = ? for share`, [epoch]);
    const [known] = await find();
    if (known) return known['expired_at'] === null;
    await this.register(epoch);
    const [row] = await find();
    return row !== undefined && row['expired_at'] === null;
  }

  async register(epoch: string): Promise<void> {
    await this.em.execute(
      `insert into "replica" ("epoch", "synced_at") values (?, clock_timestamp()) on conflict ("epoch") do nothing`,
      [epoch],
      'run',
    );
  }

  /**
   * Locks the funds and reads their leases: the replica's own, and outstanding ones of others. Unknown funds are left
   * out.
   */
  async open(accounts: readonly FundId[], epoch: string): Promise<LeaseBook> {
    const ids = (kind: FundKind): number[] => [
      ...new Set(accounts.filter((account) => account.kind === kind).map(({ id }) => id)),
    ];
    const funds = [...(await this.lockWallets(ids('wallet'))), ...(await this.lockTokens(ids('token')))];
    if (funds.length === 0) return new LeaseBook([], []);
    const rows = await this.em.execute<Row[]>(
      `select l."kind", l."account_id", l."replica_epoch", l."granted", l."returned", l."booked", l."used" from "lease" l
       join json_to_recordset(?::json) as f("kind" text, "id" int) on f."kind" = l."kind" and f."id" = l."account_id"
       where l."replica_epoch" = ? or l."granted" - l."returned" - l."booked" > 0`,
      [rowset(funds.map(({ kind, id }) => ({ kind, id }))), epoch],
    );
    const isOwn = (row: Row): boolean => row['replica_epoch'] === epoch;
    const others = rows.filter((row) => !isOwn(row)).map(toLease);
    return new LeaseBook(funds, rows.filter(isOwn).map(toLease), others);
  }

  async store(book: LeaseBook, epoch: string): Promise<void> {
    const { funds, leases } = book.changes();
    if (leases.length === 0) return;
    await this.em.execute(
      `insert into "lease" ("kind", "account_id", "replica_epoch", "granted", "returned", "booked", "used")
       select l."kind", l."id", ?, l."granted", l."returned", l."booked", l."used"
       from json_to_recordset(?::json) as l("kind" text, "id" int, "granted" bigint, "returned" bigint, "booked" bigint, "used" bigint)
       on conflict ("kind", "account_id", "replica_epoch") do update
         set "granted" = excluded."granted", "returned" = excluded."returned", "used" = excluded."used"`,
      [epoch, rowset(leases)],
      'run',
    );
    await this.storeHeld(
      'account',
      'user_id',
      funds.filter(({ kind }) => kind === 'wallet'),
    );
    await this.storeHeld(
      'token',
      'id',
      funds.filter(({ kind }) => kind === 'token'),
    );
  }

  /** The reported accounts of which more is reported than stored, or more granted than reported. */
  async differing(reports: readonly AccountReport[], epoch: string): Promise<Named[]> {
    if (reports.length === 0) return [];
    const rows = await this.em.execute<Row[]>(
      `select * from (
         select r."kind", r."id", coalesce(l."granted", 0) as "granted", r."granted" < l."granted" as "isMore",
           r."granted" > coalesce(l."granted", 0) or least(r."returned", l."granted") > l."returned" or r."used" > l."used" as "isNews"
         from json_to_recordset(?::json) as r("kind" text, "id" int, "granted" bigint, "returned" bigint, "used" bigint)
         left join "lease" l on l."kind" = r."kind" and l."account_id" = r."id" and l."replica_epoch" = ?
       ) n where "isMore" or "isNews"`,
      [rowset(reports), epoch],
    );
    return rows.map((row) => ({
      kind: row['kind'] as FundKind,
      id: Number(row['id']),
      granted: units(row['granted']),
      isMore: row['isMore'] === true,
      isNews: row['isNews'] === true,
    }));
  }

  async withOutstanding(epoch: string): Promise<FundId[]> {
    return this.em.execute<FundId[]>(
      `select "kind", "account_id" as "id" from "lease" where "replica_epoch" = ? and "granted" - "returned" - "booked" > 0`,
      [epoch],
    );
  }

  private async lockWallets(ids: number[]): Promise<Fund[]> {
    if (ids.length === 0) return [];
    const rows = await this.em.execute<Row[]>(
      `select "user_id", "credit", "spent", "held" from "account"
       where "user_id" in (select value::int from json_array_elements_text(?::json)) order by "user_id" for update`,
      [JSON.stringify(ids)],
    );
    return rows.map((row) => ({
      ...balancesOf(row),
      kind: 'wallet',
      id: Number(row['user_id']),
      ownerId: Number(row['user_id']),
      limited: true,
      closed: false,
    }));
  }

  private async lockTokens(ids: number[]): Promise<Fund[]> {
    if (ids.length === 0) return [];
    const rows = await this.em.execute<Row[]>(
      `select "id", "user_id", "credit", "spent", "held", "unlimited_quota", "deleted_at" from "token"
       where "id" in (select value::int from json_array_elements_text(?::json)) order by "id" for update`,
      [JSON.stringify(ids)],
    );
    return rows.map((row) => ({
      ...balancesOf(row),
      kind: 'token',
      id: Number(row['id']),
      ownerId: Number(row['user_id']),
      limited: row['unlimited_quota'] !== true,
      closed: row['deleted_at'] !== null,
    }));
  }

  private async storeHeld(
    table: 'account' | 'token',
    key: 'user_id' | 'id',
    funds: readonly { id: number; held: number }[],
  ): Promise<void> {
    if (funds.length === 0) return;
    await this.em.execute(
      `update ?? f set "held" = d."held" from json_to_recordset(?::json) as d("id" int, "held" bigint) where f.?? = d."id"`,
      [table, rowset(funds), key],
      'run',
    );
  }
}

const balancesOf = (row: Row): Pick<Fund, 'credit' | 'spent' | 'held'> => ({
  credit: units(row['credit']),
  spent: units(row['spent']),
  held: units(row['held']),
});

const toLease = (row: Row): FundId & LeaseCounters => ({
  kind: row['kind'] as FundKind,
  id: Number(row['account_id']),
  granted: units(row['granted']),
  returned: units(row['returned']),
  booked: units(row['booked']),
  used: units(row['used']),
});
