import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import { units } from '../units.js';
import type { FundKind } from './lease-book.js';

/** Funds of one look: some milliseconds of the database, so that a million of them cost no more at a time than a hundred. */
const FUNDS_OF_A_LOOK = 50_000;
/** Ids are above it. */
const START = -1;

/** A fund whose `held` is not the sum of its outstanding leases, in units. */
export interface HeldFault {
  kind: FundKind;
  account_id: number;
  held: number;
  outstanding: number;
}

export interface Findings {
  faults: number;
  first: HeldFault | undefined;
  /** What wallets are below zero, all together. */
  overdrawn: number;
}

const nothing: Findings = { faults: 0, first: undefined, overdrawn: 0 };

/** The funds of one kind by their id, from where the last part ended. */
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

interface Part extends Findings {
  funds: number;
  last: number;
}

/**
 * Goes round all funds, a part at each look, and looks whether what each has held is what its leases have outstanding. The function
 * `held_faults` of the schema says the same of all at once.
 */
export class LeaseAudit {
  private kind: FundKind = 'wallet';
  private after = START;
  /** What was found since the round began, and in the last whole one. */
  private found = nothing;
  private whole = nothing;

  constructor(
    private readonly em: EntityManager,
    private readonly fundsOfALook = FUNDS_OF_A_LOOK,
  ) {}

  /** Begins anew with nothing known: another one may have led since, and what was wrong then may be mended. */
  restart(): void {
    this.kind = 'wallet';
    this.after = START;
    this.found = nothing;
    this.whole = nothing;
  }

  /** What is known after one more look: of a round that goes on no less than the last whole one knew. */
  async look(): Promise<Findings> {
    await this.forgetMended();
    for (let left = this.fundsOfALook; left > 0;) {
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

  /** Looks again at the fund that is told first: it may have been mended since, long before its turn comes. */
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

const without = (findings: Findings, { kind, account_id: id }: HeldFault): Findings =>
  findings.first?.kind === kind && findings.first.account_id === id
    ? { ...findings, faults: findings.faults - 1, first: undefined }
    : findings;

const sum = (one: Findings, other: Findings): Findings => ({
  faults: one.faults + other.faults,
  first: one.first ?? other.first,
  overdrawn: one.overdrawn + other.overdrawn,
});
