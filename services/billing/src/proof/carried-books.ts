import { IsolationLevel } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { bindPeriod, Clock } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
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

/** `carried` goes on from look to look; `recount` begins at the first posting once a day, and must come to the same. */
type Pass = 'carried' | 'recount';

/** Rows of one statement, and of one transaction while the sums catch up: nothing is chained that commits after its begin. */
const STEP = 50_000;
/** How long one look catches up. */
const CATCH_UP_MS = 60_000;
/** A pass over everything takes about as many looks, which are a minute apart, and is never slower than that. */
const LOOKS_OF_A_RECOUNT = 1_000;
const RECOUNT_ROWS = 20_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LOST = 'the journal is what it was';

const leaseKey = (row: string): string =>
  `'lease ' || ${row}."kind" || ':' || ${row}."account_id" || ' ' || ${row}."replica_epoch"`;
const isLease = `"account" like 'lease %'`;

/** Adds the rows of a stretch of a chain to the sums of a pass, and looks at each: $1 pass, $2 chain, $3 and $4 positions. */
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

/** What is committed and has no place in a chain yet: the last seconds, or more while a transaction runs for long. */
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

export interface Findings {
  faults: number;
  /** In words. */
  first: string | null;
}

interface Mark {
  chain: string;
  /** Of the last row that is in the sums. */
  at: number;
  /** Up to where this pass may go. */
  end: number;
}

/**
 * The sums of the journal, carried from one look to the next along its chains, and the balances against them. What a look costs grows with
 * what came since the last one and with the number of accounts, and not with the journal; that nobody changes old rows meanwhile is found by
 * counting everything once more, a slice at each look.
 */
@Injectable()
export class CarriedBooks {
  readonly step: number = STEP;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Adds what the chains have more than the sums, slice by slice, each for good. Answers how many rows of the journal are left for the next look. */
  async catchUp(): Promise<number> {
    const until = this.clock.monotonic() + CATCH_UP_MS;
    for (;;) {
      const left = await this.em.transactional(() => this.advance('carried', this.step), {
        isolationLevel: IsolationLevel.REPEATABLE_READ,
      });
      if (left === 0 || this.clock.monotonic() > until) return left + (await this.unchained());
    }
  }

  /** About how many postings wait for their places in the chains, at least one; 0 where only the newest of all do. */
  private async unchained(): Promise<number> {
    if (await this.isChained()) return 0;
    const [row] = await this.em.execute<{ rows: unknown }[]>(
      `select (select "reltuples" from "pg_class" where "oid" = '"posting"'::regclass)::bigint - coalesce(sum(
         (select max("position") from "journal_link" l where l."chain" = c."chain")), 0) as "rows" from (${CHAINS}) c`,
    );
    return Math.max(1, units(row?.rows));
  }

  /** Everything as of one moment; undefined while the sums, or the chains that they follow, have not caught up with the journal. */
  look(): Promise<Findings | undefined> {
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

  /** Postings from before the chains, and those of a database that was moved, get their places first. */
  private async isChained(): Promise<boolean> {
    const [row] = await this.em.execute<{ chained: boolean }[]>(
      `select "old_id" is null and "tx" <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "chained" from "seal_progress" where "id" = 1`,
    );
    return row?.chained === true;
  }

  /** Adds at most so many rows to a pass. Answers how many are left. */
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

  /** Once a day, and at once while something does not add up, so that what was put right is soon seen. */
  private async recount(): Promise<void> {
    const [row] = await this.em.execute<{ since: string | null; ended: string | null; faults: number }[]>(
      `select "recounting_since"::text as "since", "recounted_at"::text as "ended", "faults" from "books_watch" where "id" = 1`,
    );
    // The first look of all has only just added up everything.
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

  /** What the recount found takes the place of what was found before. */
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
      // Of leases that ended; nothing is booked of them any more.
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

  private async findings(): Promise<Findings> {
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
