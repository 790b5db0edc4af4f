import type { EntityManager } from '@mikro-orm/postgresql';
import type { FundKind } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import { units } from '../units.js';

/** Funds checked at a time; this takes the database some milliseconds, however many funds there are. */
const FUNDS_PER_CHECK = 50_000;
/** A start below all ids. */
const START = -1;

/** A fund whose `held` differs from the sum of its outstanding leases, in units. */
interface HeldFault {
  kind: FundKind;
  account_id: number;
  held: number;
  outstanding: number;
}

export interface HeldFindings {
  faults: number;
  first: HeldFault | undefined;
  /** The sum by which wallets are below zero. */
  overdrawn: number;
}

const nothing: HeldFindings = { faults: 0, first: undefined, overdrawn: 0 };

/** Query that checks the next funds of one kind, by id, after the last one checked. */
const partOf = (kind: FundKind): string => {
  const [table, id, below] =
    kind === 'wallet' ? ['account', 'user_id', 'greatest(0, "spent" - "credit")'] : ['token', 'id', '0'];
  return `with part as materialized (
      select "${id}" as "id", "held", ${below} as "below" from "${table}" where "${id}" > ? order by "${id}" limit ?
    ), edge as (
      select count(*)::int as "funds", case when count(*) < ? then ${MAX_ID} else max("id") end as "last", coalesce(sum("below"), 0) as "overdrawn" from part
    ), owed as (
      select l."account_id" as "id", sum(greatest(0, l."granted" - l."returned" - l."booked")) as "outstanding" from "lease" l, edge e
      where l."kind" = '${kind}' and l."account_id" > ? and l."account_id" <= e."last" group by 1
    ), fault as (
      select coalesce(p."id", o."id") as "account_id", coalesce(p."held", 0) as "held", coalesce(o."outstanding", 0) as "outstanding"
      from part p full join owed o on o."id" = p."id"
      where coalesce(p."held", 0) <> coalesce(o."outstanding", 0) or coalesce(p."held", 0) < 0
    )
    select e.*, (select count(*) from fault)::int as "faults", f."account_id", f."held", f."outstanding"
    from edge e left join lateral (select * from fault order by "account_id" limit 1) f on true`;
};
const PARTS: Record<FundKind, string> = { wallet: partOf('wallet'), token: partOf('token') };

interface Part extends HeldFindings {
  funds: number;
  last: number;
}

/**
 * Checks all funds in rounds, a part at a time, for whether `held` equals the outstanding amount of the fund's leases.
 * The database function `held_faults` checks all of them at once.
 */
export class LeaseAudit {
  private kind: FundKind = 'wallet';
  private after = START;
  /** Findings of the current round, and of the last complete one. */
  private found = nothing;
  private whole = nothing;

  constructor(
    private readonly em: EntityManager,
    private readonly fundsPerCheck = FUNDS_PER_CHECK,
  ) {}

  /** Starts over without findings: another replica may have led meanwhile, and old faults may be repaired. */
  restart(): void {
    this.kind = 'wallet';
    this.after = START;
    this.found = nothing;
    this.whole = nothing;
  }

  /**
   * Checks the next part. Returns the findings of the current round, but never less than those of the last complete
   * round.
   */
  async checkNext(): Promise<HeldFindings> {
    await this.forgetMended();
    for (let left = this.fundsPerCheck; left > 0;) {
      const part = await this.part(left);
      left -= part.funds;
      this.found = sum(this.found, part);
      this.after = part.last;
      if (part.last < MAX_ID) continue;
      this.after = START;
      const isOver = this.kind === 'token';
      this.kind = isOver ? 'wallet' : 'token';
      if (!isOver) continue;
      this.whole = this.found;
      this.found = nothing;
      return this.whole;
    }
    const { found, whole } = this;
    return {
      faults: Math.max(found.faults, whole.faults),
      first: found.first ?? whole.first,
      overdrawn: Math.max(found.overdrawn, whole.overdrawn),
    };
  }

  /** Checks the first reported fund again, since it may have been repaired long before the round reaches it. */
  private async forgetMended(): Promise<void> {
    const first = this.found.first ?? this.whole.first;
    if (!first) return;
    const before = first.account_id - 1;
    const [row] = await this.em.execute<Record<string, unknown>[]>(PARTS[first.kind], [before, 1, 1, before]);
    if (row && units(row['faults'] ?? 0) > 0 && units(row['account_id']) === first.account_id) return;
    this.found = without(this.found, first);
    this.whole = without(this.whole, first);
  }

  private async part(most: number): Promise<Part> {
    const { kind, after } = this;
    const [row] = await this.em.execute<Record<string, unknown>[]>(PARTS[kind], [after, most, most, after]);
    const faults = units(row?.['faults'] ?? 0);
    return {
      funds: units(row?.['funds'] ?? 0),
      last: units(row?.['last'] ?? MAX_ID),
      faults,
      first: faults > 0 && row ? faultOf(kind, row) : undefined,
      overdrawn: units(row?.['overdrawn'] ?? 0),
    };
  }
}

const faultOf = (kind: FundKind, row: Record<string, unknown>): HeldFault => ({
  kind,
  account_id: units(row['account_id']),
  held: units(row['held']),
  outstanding: units(row['outstanding']),
});

const without = (findings: HeldFindings, { kind, account_id: id }: HeldFault): HeldFindings =>
  findings.first?.kind === kind && findings.first.account_id === id
    ? { ...findings, faults: findings.faults - 1, first: undefined }
    : findings;

const sum = (one: HeldFindings, other: HeldFindings): HeldFindings => ({
  faults: one.faults + other.faults,
  first: one.first ?? other.first,
  overdrawn: one.overdrawn + other.overdrawn,
});
