import { acquireLeases, type InternalCall, mostLeaseRequests, mostReportedAccounts } from '@tollgate/contracts';
import { InternalClient } from '@tollgate/chassis';
/* eslint-disable @nx/enforce-module-boundaries -- rules of its own would hide where the relay and billing count differently */
import {
  type Fund,
  type FundId,
  fundKey,
  LeaseBook,
  type LeaseCounters,
  type LeaseRequest,
  outstandingOf,
} from '../../billing/src/lease/lease-book.js';
/* eslint-enable @nx/enforce-module-boundaries */

interface Run {
  isExpired: boolean;
  beats: number;
  leases: Map<string, LeaseCounters>;
}

type Report = FundId & { granted: number; returned: number; used: number };

/** A request for quota or a heartbeat. */
interface Asked {
  replicaEpoch: string;
  requests: LeaseRequest[];
  accounts: Report[];
  beats: number;
  recovered: string[];
}

const NOTHING = { granted: 0, returned: 0, booked: 0, used: 0 };
/** What billing answers to a run that has expired. */
const REFUSED = {
  ...{ outcome: 'unknown', wallet: NOTHING, token: NOTHING, walletAvailable: 0, tokenAvailable: 0 },
  ...{ walletQuota: 0, tokenQuota: 0, walletElsewhere: 0, tokenElsewhere: 0 },
};

/**
 * Billing without a database: its real lease book, over leases of each run of a replica. Nothing is booked, and tokens
 * belong to user 1.
 */
export class Billing extends InternalClient {
  calls = 0;
  syncs = 0;
  /** The accounts named by heartbeats. */
  readonly reports: object[] = [];
  /** The past epochs that heartbeats said to be over. */
  readonly recovered: string[] = [];
  /** Whether it is of the previous release, which counts no heartbeats. */
  isOld = false;
  /** The accounts whose blocks replies to heartbeats recall. */
  recalled: FundId[] = [];
  private readonly runs = new Map<string, Run>();

  constructor(
    /** Units by account, such as `wallet:1`. */
    readonly credit: Record<string, number>,
    /** Units of these accounts that are lent to other replicas. */
    readonly foreign: Record<string, number> = {},
  ) {
    super();
  }

  /** The epochs that billing knows, oldest first. */
  get epochs(): string[] {
    return [...this.runs.keys()];
  }

  /** Lets all runs expire, as after a minute of silence. What they were lent is not released yet. */
  expire(): void {
    for (const run of this.runs.values()) run.isExpired = true;
  }

  /** Forgets all runs, as when its database is restored from a copy that is older than they are. */
  forget(): void {
    this.runs.clear();
  }

  /** Notes the state of the leases of all runs. The function that it returns goes back to it, like a fail-over. */
  keep(): () => void {
    const kept = [...this.runs.values()].map((run) => ({ run, beats: run.beats, leases: new Map(run.leases) }));
    return () => {
      for (const { run, beats, leases } of kept) Object.assign(run, { beats, leases: new Map(leases) });
    };
  }

  /** The counters of an account in an epoch; in the newest one if none is given. */
  lease(key: string, epoch = this.epochs.at(-1) ?? ''): LeaseCounters {
    return this.runs.get(epoch)?.leases.get(key) ?? NOTHING;
  }

  override call(call: InternalCall, input: unknown): Promise<never> {
    this.calls += 1;
    const asked = input as Asked;
    const answer =
      call.name === acquireLeases.name ? this.acquire(asked.replicaEpoch, asked.requests) : this.sync(asked);
    return Promise.resolve(answer as never);
  }

  private acquire(epoch: string, requests: LeaseRequest[]): unknown {
    if (requests.length > mostLeaseRequests) throw new Error('too many requests in one message');
    const run = this.runOf(epoch, true);
    if (!run) return { alive: false, results: requests.map(() => REFUSED) };
    const accounts = requests.flatMap(({ userId, tokenId }): FundId[] => [
      { kind: 'wallet', id: userId },
      { kind: 'token', id: tokenId },
    ]);
    return { alive: true, results: this.inBook(run, accounts, (book) => book.serve(requests)) };
  }

  private sync({ replicaEpoch, accounts, beats, recovered }: Asked): unknown {
    this.syncs += 1;
    this.recovered.push(...recovered);
    if (accounts.length > mostReportedAccounts) throw new Error('too many accounts in one message');
    this.reports.push(...accounts);
    const isNew = accounts.every(({ granted }) => granted === 0);
    const run = this.runOf(replicaEpoch, isNew);
    if (!run) return { alive: false, lent: [], recall: [] };
    if (run.beats >= beats) run.beats += 1;
    this.inBook(run, accounts, (book) => accounts.forEach((report) => book.takeReport(report, report)));
    const lent = accounts.flatMap(({ kind, id, granted: reported }) => {
      const { granted } = run.leases.get(fundKey({ kind, id })) ?? NOTHING;
      return granted > reported ? [{ kind, id, granted }] : [];
    });
    return { alive: true, ...(!this.isOld && { beats: run.beats }), lent, recall: this.recalled };
  }

  /** The run of this epoch unless it has expired. */
  private runOf(epoch: string, mayRegister: boolean): Run | undefined {
    if (mayRegister && !this.runs.has(epoch)) this.runs.set(epoch, { isExpired: false, beats: 0, leases: new Map() });
    const run = this.runs.get(epoch);
    return run?.isExpired ? undefined : run;
  }

  private inBook<Result>(run: Run, accounts: readonly FundId[], work: (book: LeaseBook) => Result): Result {
    const known = accounts.filter((account) => fundKey(account) in this.credit);
    const own = known.flatMap((account) => {
      const lease = run.leases.get(fundKey(account));
      return lease ? [{ ...account, ...lease }] : [];
    });
    const book = new LeaseBook(
      known.map((account) => this.fund(account)),
      own,
    );
    const result = work(book);
    for (const { kind, id, ...lease } of book.changes().leases) run.leases.set(fundKey({ kind, id }), lease);
    return result;
  }

  private fund({ kind, id }: FundId): Fund {
    const key = fundKey({ kind, id });
    let held = this.foreign[key] ?? 0;
    for (const { leases } of this.runs.values()) held += outstandingOf(leases.get(key) ?? NOTHING);
    const ownerId = kind === 'wallet' ? id : 1;
    return { kind, id, ownerId, credit: this.credit[key] ?? 0, spent: 0, held, limited: true, closed: false };
  }
}
