import { type FundKind, lending } from '@tollgate/contracts';

export interface FundId {
  kind: FundKind;
  id: number;
}

export interface Fund extends FundId {
  credit: number;
  spent: number;
  held: number;
  /** False for the budget of an unlimited token, from which any need can be granted. */
  limited: boolean;
  /** True for the budget of a deleted token: nothing more is lent, and outstanding quota comes back. */
  closed: boolean;
  /** Id of the user who owns the fund. */
  ownerId: number;
}

export interface LeaseCounters {
  granted: number;
  returned: number;
  booked: number;
  /** What the replica reported as spent. This can be more than is booked yet, or, if the report is old, less. */
  used: number;
}

interface LeaseReport {
  granted: number;
  returned: number;
}

/** The counters that a replica reports about its own block. */
interface OwnReport extends LeaseReport {
  used: number;
}

/** The same in a heartbeat; replicas of the previous version do not report `granted`. */
export interface BeatReport {
  granted?: number | undefined;
  returned: number;
  used: number;
}

export interface LeaseRequest {
  userId: number;
  /** 0: only the wallet pays. */
  tokenId: number;
  walletNeed: number;
  tokenNeed: number;
  wallet: OwnReport;
  token: OwnReport;
}

type LeaseOutcome = 'granted' | 'busy' | 'short-wallet' | 'short-token' | 'unknown';

export interface LeaseResult {
  outcome: LeaseOutcome;
  wallet: LeaseReport;
  token: LeaseReport;
  walletAvailable: number;
  tokenAvailable: number;
  walletQuota: number;
  tokenQuota: number;
  /** Outstanding quota of other replicas that is not reported as spent, and so may come back: worth waiting for. */
  walletElsewhere: number;
  tokenElsewhere: number;
}

export const fundKey = ({ kind, id }: FundId): string => `${kind}:${id}`;
export const outstandingOf = ({ granted, returned, booked }: LeaseCounters): number =>
  Math.max(0, granted - returned - booked);
/** The part of the booked amount that no grant covered: the fund has already paid for it. */
const overdrawnOf = ({ granted, returned, booked, used }: LeaseCounters): number =>
  Math.max(0, Math.min(booked, used) + returned - granted);
/** The part of the outstanding amount that never comes back, because it is spent and only waits to be booked. */
const spentUnbookedOf = (lease: LeaseCounters): number =>
  Math.min(outstandingOf(lease), Math.max(0, lease.used - lease.booked));

/**
 * What was lent, by what is stored and by what the replica reports. A report exceeds it only after the database has lost
 * commits. It is believed as far as it can be true, that is, as long as this lease alone has no more outstanding than the
 * fund owns: so a faulty replica gets no more by its reports than by its requests.
 */
function grantedOf(lease: LeaseCounters, report: BeatReport, fund: Fund): number {
  const { granted = 0, returned } = report;
  if (granted <= lease.granted || fund.closed) return lease.granted;
  if (!fund.limited) return granted;
  const gone = Math.max(lease.returned, returned) + lease.booked;
  return Math.max(lease.granted, Math.min(granted, gone + Math.max(outstandingOf(lease), quotaOf(fund))));
}

const MOST_SHARE = 16;

/**
 * How much to lend to a replica that needs `need` now, from `available` ≥ `need`. With plenty available it lends ahead,
 * so that most requests need no call, but at most a sixteenth of what is there. Where quota is scarce it lends the need
 * alone, so that a fund that pays for n calls admits n.
 */
export function grantSize(need: number, available: number): number {
  if (need === 0 || available < lending.scarceNeeds * need) return need;
  return Math.max(need, Math.min(lending.mostNeeds * need, Math.floor(available / MOST_SHARE)));
}

const NOTHING: LeaseReport = { granted: 0, returned: 0 };

interface Leg {
  fund: Fund;
  requested: number;
  /** The part of `requested` that remains after counting grants that the replica has not seen yet. */
  need: number;
}

/**
 * Funds and one replica's leases on them, all locked by the caller; the requests of a batch are applied in order.
 * Counters are cumulative and only grow, so a repeated or late report has no effect.
 */
export class LeaseBook {
  private readonly funds: ReadonlyMap<string, Fund>;
  private readonly leases: Map<string, LeaseCounters>;
  /**
   * By fund: units granted in a reply that the replica has not seen, or ahead of need in this batch. They count towards
   * its next request.
   */
  private readonly unseen = new Map<string, number>();
  private readonly touched = new Set<string>();
  /** Funds of which a replica was lent more than was stored. */
  private readonly rediscovered = new Set<string>();
  /** By fund: units that other replicas have spent and that are not booked yet. */
  private readonly spentElsewhere = new Map<string, number>();

  constructor(
    funds: readonly Fund[],
    leases: readonly (FundId & LeaseCounters)[],
    others: readonly (FundId & LeaseCounters)[] = [],
  ) {
    this.funds = new Map(funds.map((fund) => [fundKey(fund), { ...fund }]));
    this.leases = new Map(leases.map(({ kind, id, ...counters }) => [fundKey({ kind, id }), counters]));
    for (const other of others) {
      const key = fundKey(other);
      this.spentElsewhere.set(key, (this.spentElsewhere.get(key) ?? 0) + spentUnbookedOf(other));
    }
  }

  /** Applies all reports of the batch, then serves its requests in order. */
  serve(requests: readonly LeaseRequest[]): LeaseResult[] {
    const believed = new Map<string, number>();
    for (const { userId, tokenId, wallet, token } of requests) {
      this.applyReport({ kind: 'wallet', id: userId }, wallet, believed);
      if (tokenId > 0) this.applyReport({ kind: 'token', id: tokenId }, token, believed);
    }
    for (const key of believed.keys()) this.settleOverdraft(key);
    for (const [key, granted] of believed)
      this.unseen.set(key, Math.max(0, (this.leases.get(key)?.granted ?? 0) - granted));
    return requests.map((request) => this.acquire(request));
  }

  /** Applies the cumulative counters of a report. */
  takeReport(account: FundId, report: BeatReport): void {
    const key = fundKey(account);
    const fund = this.funds.get(key);
    const lease = this.leaseOf(key);
    const granted = fund ? grantedOf(lease, report, fund) : 0;
    if (granted === 0) return;
    if (granted > lease.granted) this.rediscovered.add(key);
    this.change(key, {
      ...lease,
      granted,
      returned: Math.max(lease.returned, Math.min(report.returned, granted)),
      used: Math.max(lease.used, report.used),
    });
  }

  /**
   * The funds of which a replica was lent more than was stored, and those of them that meanwhile were lent again: more of
   * them is lent than they have.
   */
  lostGrants(): { found: FundId[]; overlent: FundId[] } {
    const found = [...this.rediscovered].flatMap((key) => this.funds.get(key) ?? []);
    return { found, overlent: found.filter((fund) => fund.limited && availableIn(fund) < 0) };
  }

  /** Ends a lease, so that nothing is outstanding afterwards. What is booked on it later was not held. */
  release(account: FundId): void {
    const key = fundKey(account);
    const lease = this.leases.get(key);
    if (lease) this.change(key, { ...lease, returned: lease.returned + outstandingOf(lease) });
  }

  /** The changes that the caller must store. */
  changes(): { funds: (FundId & { held: number })[]; leases: (FundId & LeaseCounters)[] } {
    const keys = [...this.touched];
    const funds = keys.flatMap((key) => this.funds.get(key) ?? []);
    return {
      funds: funds.map(({ kind, id, held }) => ({ kind, id, held })),
      leases: funds.map(({ kind, id }) => ({ kind, id, ...this.leaseOf(fundKey({ kind, id })) })),
    };
  }

  private applyReport(account: FundId, report: OwnReport, believed: Map<string, number>): void {
    const key = fundKey(account);
    believed.set(key, Math.max(believed.get(key) ?? 0, report.granted));
    this.takeReport(account, report);
  }

  /**
   * Grants the overdraft of a lease after the fact. A replica requests what its block lacks, which includes the part of
   * its requests' cost that exceeded their holds. Once that part is booked, the fund's balance is already reduced by
   * it, so it is granted without being held again. It does not become outstanding.
   */
  private settleOverdraft(key: string): void {
    const lease = this.leases.get(key);
    if (!lease || overdrawnOf(lease) === 0) return;
    this.change(key, { ...lease, granted: lease.granted + overdrawnOf(lease) });
  }

  private acquire(request: LeaseRequest): LeaseResult {
    const { userId, tokenId } = request;
    const wallet = this.funds.get(fundKey({ kind: 'wallet', id: userId }));
    const token = tokenId > 0 ? this.funds.get(fundKey({ kind: 'token', id: tokenId })) : undefined;
    if (tokenId > 0 && (token?.ownerId !== userId || token.closed)) return this.result('unknown', wallet, undefined);
    if (!wallet) return this.result(request.walletNeed > 0 ? 'short-wallet' : 'granted', undefined, token);
    const before = this.result('granted', wallet, token);
    const legs = [this.leg(wallet, request.walletNeed), ...(token ? [this.leg(token, request.tokenNeed)] : [])];
    const outcome = outcomeOf(legs);
    if (outcome === 'granted') for (const leg of legs) this.grant(leg);
    return { ...before, outcome, wallet: this.reportOf(wallet), token: token ? this.reportOf(token) : NOTHING };
  }

  private leg(fund: Fund, requested: number): Leg {
    return { fund, requested, need: Math.max(0, requested - (this.unseen.get(fundKey(fund)) ?? 0)) };
  }

  private grant({ fund, requested, need }: Leg): void {
    const key = fundKey(fund);
    const size = fund.limited ? grantSize(need, availableIn(fund)) : need;
    this.unseen.set(key, (this.unseen.get(key) ?? 0) + size - requested);
    if (size === 0) return;
    const lease = this.leaseOf(key);
    this.change(key, { ...lease, granted: lease.granted + size });
  }

  private change(key: string, next: LeaseCounters): void {
    const fund = this.funds.get(key);
    if (!fund) return;
    fund.held += outstandingOf(next) - outstandingOf(this.leaseOf(key));
    this.leases.set(key, next);
    this.touched.add(key);
  }

  private leaseOf(key: string): LeaseCounters {
    return this.leases.get(key) ?? { granted: 0, returned: 0, booked: 0, used: 0 };
  }

  private reportOf(fund: Fund): LeaseReport {
    const { granted, returned } = this.leaseOf(fundKey(fund));
    return { granted, returned };
  }

  private result(outcome: LeaseOutcome, wallet: Fund | undefined, token: Fund | undefined): LeaseResult {
    return {
      outcome,
      wallet: wallet ? this.reportOf(wallet) : NOTHING,
      token: token ? this.reportOf(token) : NOTHING,
      walletAvailable: wallet ? availableIn(wallet) : 0,
      tokenAvailable: token ? availableIn(token) : 0,
      walletQuota: wallet ? quotaOf(wallet) : 0,
      tokenQuota: token ? quotaOf(token) : 0,
      walletElsewhere: wallet ? this.elsewhere(wallet) : 0,
      tokenElsewhere: token ? this.elsewhere(token) : 0,
    };
  }

  private elsewhere(fund: Fund): number {
    const key = fundKey(fund);
    return Math.max(0, fund.held - outstandingOf(this.leaseOf(key)) - (this.spentElsewhere.get(key) ?? 0));
  }
}

const quotaOf = ({ credit, spent }: Fund): number => credit - spent;
const availableIn = ({ credit, spent, held }: Fund): number => credit - spent - held;

/**
 * Grants both funds or neither. A need that exceeds a fund's whole quota is reported before one that could be met by
 * waiting.
 */
function outcomeOf(legs: readonly Leg[]): LeaseOutcome {
  const refused = legs.filter(({ fund, need }) => fund.limited && need > 0 && need > availableIn(fund));
  const short = refused.find(({ fund, need }) => need > quotaOf(fund));
  if (short) return short.fund.kind === 'wallet' ? 'short-wallet' : 'short-token';
  return refused.length > 0 ? 'busy' : 'granted';
}
