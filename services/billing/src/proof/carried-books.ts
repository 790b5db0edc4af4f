import { IsolationLevel } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock } from '@tollgate/chassis';
import { bindPeriod, bound } from '@tollgate/database';
import { CHAINS } from '../seal/chain-rows.js';
import { units } from '../units.js';
import {
  BALANCES,
  balancesAgainst,
  LEASES,
  leasedBy,
  leasesAgainst,
  LEGS,
  movedBy,
  movementChecks,
  strangeLegs,
  strangeVersions,
  VERSIONS,
} from './book-checks.js';

/**
 * `carried` continues from look to look; `recount` starts at the first posting once a day and must reach the same sums.
 */
type Pass = 'carried' | 'recount';

/**
 * Rows per statement, and per transaction while the sums catch up. Short transactions matter because postings get their
 * place in a chain only when older transactions have ended.
 */
const STEP = 50_000;
/** How long one look may catch up, in milliseconds. */
const CATCH_UP_MS = 60_000;
/**
 * A recount is spread over about this many looks, which are a minute apart, but takes at least `RECOUNT_ROWS` rows at
 * each.
 */
const LOOKS_OF_A_RECOUNT = 1_000;
const RECOUNT_ROWS = 20_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LOST = 'the journal is what it was';

const leaseKey = (row: string): string =>
  `'lease ' || ${row}."kind" || ':' || ${row}."account_id" || ' ' || ${row}."replica_epoch"`;
const isLease = `"account" like 'lease %'`;

/** Adds a range of a chain to the sums of a pass and checks its rows: $1 pass, $2 chain, $3 and $4 positions. */
const addSlice = (pass: Pass): string => `with "slice" as materialized (
    select p.* from "journal_link" l join "posting" p on p."id" = l."posting_id"
    where l."chain" = $2 and l."position" > $3 and l."position" <= $4
  ), "summed" as (
    insert into "books_sum" as s ("pass", "account", "credit", "spent", "requests")
    select $1, m."account", m."credit", m."spent", m."requests" from (
      ${movedBy('"slice"')}
      ${pass === 'carried' ? `union all select ${leaseKey('b')}, 0, b."amount", 0 from (${leasedBy('"slice"')}) b` : ''}
    ) m
    on conflict ("pass", "account") do update set "credit" = s."credit" + excluded."credit", "spent" = s."spent" + excluded."spent",
      "requests" = s."requests" + excluded."requests"
  ), "strange" as (
    insert into "books_finding" ("pass", "check", "subject", "found")
    select $1, '${LEGS}', "subject", "found" from (${strangeLegs('"slice"')}) f
    union all select $1, '${VERSIONS}', "subject", "found" from (${strangeVersions('"slice"')}) f
    on conflict do nothing
  ) select count(*) as "rows" from "slice"`;

/**
 * Committed postings that have no place in a chain yet: those of the last seconds, or more while a long transaction
 * runs.
 */
const tail = `(select p.* from "posting" p where p."tx" >= (select "tx" from "seal_progress" where "id" = 1)
    and not exists (select from "journal_link" l where l."posting_id" = p."id")) p`;

const moved = `select "account", sum("credit") as "credit", sum("spent") as "spent", sum("requests") as "requests" from (
    select "account", "credit", "spent", "requests" from "books_sum" where "pass" = 'carried' and not ${isLease}
    union all ${movedBy(tail)}
  ) m group by 1`;

const booked = `select "kind", "account_id", "replica_epoch", sum("amount") as "amount" from (
    select l."kind", l."account_id", l."replica_epoch", s."spent" as "amount" from "lease" l
      join "books_sum" s on s."pass" = 'carried' and s."account" = ${leaseKey('l')}
    union all ${leasedBy(tail)}
  ) b group by 1, 2, 3`;

const differences = `select coalesce(a."account", b."account") as "subject",
    'credit ' || coalesce(b."credit", 0) || ', spent ' || coalesce(b."spent", 0) || ', requests ' || coalesce(b."requests", 0)
      || ' by the rows of today, before credit ' || coalesce(a."credit", 0) || ', spent ' || coalesce(a."spent", 0) || ', requests ' || coalesce(a."requests", 0) as "found"
  from (select * from "books_sum" where "pass" = 'carried' and not ${isLease}) a
  full join (select * from "books_sum" where "pass" = 'recount') b on b."account" = a."account"
  where (coalesce(a."credit", 0), coalesce(a."spent", 0), coalesce(a."requests", 0))
    is distinct from (coalesce(b."credit", 0), coalesce(b."spent", 0), coalesce(b."requests", 0))`;

export interface BalanceFindings {
  faults: number;
  /** Description of the first fault. */
  first: string | null;
}

interface Mark {
  chain: string;
  /** Position of the last row that is included in the sums. */
  at: number;
  /** Position up to which this pass may go. */
  end: number;
}

/**
 * Keeps the sums of the journal from one look to the next, following its chains, and compares balances with them. So
 * the cost of a look depends on the new postings and the number of accounts, not on the size of the journal. Changes of
 * old rows are found by the recount, which adds up everything again, a part at each look.
 */
@Injectable()
export class CarriedBooks {
  readonly step: number = STEP;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds the rows that the chains have beyond the sums, in parts that are committed separately. Returns how many rows
   * of the journal remain for the next look.
   */
  async catchUp(): Promise<number> {
    const until = this.clock.monotonic() + CATCH_UP_MS;
    for (;;) {
      const left = await this.em.transactional(() => this.advance('carried', this.step), {
        isolationLevel: IsolationLevel.REPEATABLE_READ,
      });
      if (left === 0 || this.clock.monotonic() > until) return left + (await this.unchained());
    }
  }

  /**
   * Estimated number of postings that have no place in the chains yet, at least one; 0 if only the newest ones have
   * none.
   */
  private async unchained(): Promise<number> {
    if (await this.isChained()) return 0;
    const [row] = await this.em.execute<{ rows: unknown }[]>(
      `select (select "reltuples" from "pg_class" where "oid" = '"posting"'::regclass)::bigint - coalesce(sum(
         (select max("position") from "journal_link" l where l."chain" = c."chain")), 0) as "rows" from (${CHAINS}) c`,
    );
    return Math.max(1, units(row?.rows));
  }

  /**
   * Compares the carried sums with the accounts in one snapshot; `undefined` while the sums, or the chains that they follow, lag behind the
   * journal.
   */
  check(): Promise<BalanceFindings | undefined> {
    return this.em.transactional(
      async () => {
        if (!(await this.isChained())) return undefined;
        if ((await this.advance('carried', this.step)) > 0) return undefined;
        await this.recount();
        return this.findings();
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    );
  }

  /**
   * Whether the chains are complete. Postings from before chains existed, and those of a database that was moved, get
   * their places first.
   */
  private async isChained(): Promise<boolean> {
    const [row] = await this.em.execute<{ chained: boolean }[]>(
      `select "old_id" is null and "tx" <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "chained" from "seal_progress" where "id" = 1`,
    );
    return row?.chained === true;
  }

  /** Adds at most `most` rows to a pass. Returns how many remain. */
  private async advance(pass: Pass, most: number): Promise<number> {
    let budget = most;
    let left = 0;
    for (const mark of await this.marks(pass)) {
      while (mark.at < mark.end && budget > 0) {
        const next = Math.min(mark.end, mark.at + Math.min(this.step, budget));
        await this.add(pass, mark, next);
        budget -= next - mark.at;
        mark.at = next;
      }
      left += Math.max(0, mark.end - mark.at);
    }
    return left;
  }

  private async marks(pass: Pass): Promise<Mark[]> {
    const ends =
      pass === 'recount'
        ? `select "chain", "position" as "end" from "books_mark" where "pass" = 'carried'`
        : `select c."chain", (select max("position") from "journal_link" l where l."chain" = c."chain") as "end" from (${CHAINS}) c`;
    const rows = await this.em.execute<{ chain: string; at: unknown; end: unknown }[]>(
      `select e."chain", coalesce(m."position", 0) as "at", e."end" from (${ends}) e
       left join "books_mark" m on m."pass" = ? and m."chain" = e."chain" order by 1`,
      [pass],
    );
    return rows.map(({ chain, at, end }) => ({ chain, at: units(at), end: units(end) }));
  }

  private async add(pass: Pass, { chain, at }: Mark, next: number): Promise<void> {
    const [found] = await bound<{ rows: string }>(this.em, addSlice(pass), [pass, chain, at, next]);
    const gone = next - at - Number(found?.rows ?? 0);
    if (gone > 0) await this.note(pass, LOST, `${chain}, rows ${at + 1} to ${next}`, `${gone} postings are gone`);
    await this.em.execute(
      `insert into "books_mark" ("pass", "chain", "position") values (?, ?, ?)
       on conflict ("pass", "chain") do update set "position" = excluded."position"`,
      [pass, chain, next],
      'run',
    );
  }

  private async note(pass: Pass, check: string, subject: string, found: string): Promise<void> {
    await this.em.execute(
      `insert into "books_finding" ("pass", "check", "subject", "found") values (?, ?, ?, ?) on conflict do nothing`,
      [pass, check, subject, found],
      'run',
    );
  }

  /**
   * Continues the recount. It starts once a day, and immediately while there are faults, so that a repair is soon
   * noticed.
   */
  private async recount(): Promise<void> {
    const [row] = await this.em.execute<{ since: string | null; ended: string | null; faults: number }[]>(
      `select "recounting_since"::text as "since", "recounted_at"::text as "ended", "faults" from "books_watch" where "id" = 1`,
    );
    // The very first look has just added up everything.
    if (!row) return;
    const rested = row.ended === null ? Infinity : this.clock.now() - new Date(row.ended).getTime();
    if (row.since === null && rested < DAY_MS && row.faults === 0) return;
    if (row.since === null) await this.stamp('recounting_since');
    const [size] = await this.em.execute<{ rows: unknown }[]>(
      `select coalesce(sum("position"), 0) as "rows" from "books_mark" where "pass" = 'carried'`,
    );
    const most = Math.max(RECOUNT_ROWS, Math.ceil(Number(size?.rows ?? 0) / LOOKS_OF_A_RECOUNT));
    if ((await this.advance('recount', most)) === 0) await this.conclude();
  }

  /** Replaces the earlier findings by those of the recount. */
  private async conclude(): Promise<void> {
    await this.em.execute(
      `insert into "books_finding" ("pass", "check", "subject", "found") select 'recount', ?, "subject", "found" from (${differences}) d
       on conflict do nothing`,
      [LOST],
      'run',
    );
    for (const statement of [
      `delete from "books_finding" where "pass" = 'carried'`,
      `update "books_finding" set "pass" = 'carried' where "pass" = 'recount'`,
      `delete from "books_sum" where "pass" = 'recount'`,
      `delete from "books_mark" where "pass" = 'recount'`,
      // Deletes the sums of ended leases, on which nothing is booked any more.
      `delete from "books_sum" where "pass" = 'carried' and ${isLease} and "account" not in (select ${leaseKey('l')} from "lease" l)`,
    ])
      await this.em.execute(statement, [], 'run');
    await this.em.execute(`update "books_watch" set "recounting_since" = null where "id" = 1`, [], 'run');
    await this.stamp('recounted_at');
  }

  private async stamp(column: 'recounting_since' | 'recounted_at'): Promise<void> {
    await this.em.execute(
      `update "books_watch" set "${column}" = ? where "id" = 1`,
      [new Date(this.clock.now()).toISOString()],
      'run',
    );
  }

  private async findings(): Promise<BalanceFindings> {
    let faults = 0;
    let first: string | null = null;
    const checks = [
      { name: BALANCES, query: balancesAgainst(moved) },
      { name: LEASES, query: leasesAgainst(booked) },
      ...movementChecks,
      {
        name: '',
        query: `select "check" || ': ' || "subject" as "subject", "found" from "books_finding" where "pass" = 'carried'`,
      },
    ];
    const period = { from: 0, to: this.clock.now() + HOUR_MS };
    for (const { name, query } of checks) {
      const [row] = await this.em.execute<{ subject: string; found: string; total: string }[]>(
        `select f."subject", f."found", count(*) over () as "total" from (${bindPeriod(query, period)}) f limit 1`,
      );
      if (!row) continue;
      faults += Number(row.total);
      first ??= `${name === '' ? '' : `${name}: `}${row.subject}, ${row.found}`;
    }
    return { faults, first };
  }
}
