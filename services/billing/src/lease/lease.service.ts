import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Metrics } from '@tollgate/chassis';
import type { Counter } from 'prom-client';
import type { FundId, LeaseRequest, LeaseResult } from './lease-book.js';
import { type AccountReport, LeaseQueries } from './lease.queries.js';
import { RecallBoard } from './recall-board.js';

export interface AcquireReply {
  /** False when this run of the replica has expired and must start a new epoch. */
  alive: boolean;
  results: LeaseResult[];
}

export interface SyncReply {
  alive: boolean;
  recall: FundId[];
}

const NOTHING = { granted: 0, returned: 0 };
const REFUSED: LeaseResult = {
  outcome: 'unknown',
  wallet: NOTHING,
  token: NOTHING,
  walletAvailable: 0,
  tokenAvailable: 0,
  walletQuota: 0,
  tokenQuota: 0,
  walletElsewhere: 0,
  tokenElsewhere: 0,
};

/** Lends quota to relay replicas in blocks. In the same transaction, lent quota becomes unavailable to others. */
@Injectable()
export class LeaseService {
  private readonly outcomes: Counter<'outcome'>;

  constructor(
    private readonly em: EntityManager,
    private readonly queries: LeaseQueries,
    private readonly recalls: RecallBoard,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('tollgate_billing_lease_requests_total', 'Requests for quota by outcome.', [
      'outcome',
    ]);
  }

  /** Serves all requests of the batch in one transaction; each is granted completely or not at all. */
  async acquire(epoch: string, requests: readonly LeaseRequest[]): Promise<AcquireReply> {
    const accounts = requests.flatMap(fundsOf);
    const reply = await this.em.transactional(async () => {
      if (!(await this.queries.admit(epoch))) return { alive: false, results: requests.map(() => REFUSED) };
      const book = await this.queries.open(accounts, epoch);
      const results = book.serve(requests);
      await this.queries.store(book, epoch);
      return { alive: true, results };
    });
    for (const { outcome } of reply.results) this.outcomes.inc({ outcome });
    await this.recallFor(epoch, requests, reply.results);
    return reply;
  }

  /**
   * Combines heartbeat and return of quota. An epoch that reports leases but is unknown has outlived them, and is not
   * accepted.
   */
  async sync(epoch: string, reports: readonly AccountReport[], recovered: readonly string[] = []): Promise<SyncReply> {
    // What an idle replica says every few seconds needs no transaction.
    const isBeatAlone = reports.length + recovered.length === 0;
    const alive = await (isBeatAlone ? this.beat(epoch, true) : this.note(epoch, reports, recovered));
    return { alive, recall: alive ? await this.recalls.recallsFor(epoch) : [] };
  }

  private note(epoch: string, reports: readonly AccountReport[], recovered: readonly string[]): Promise<boolean> {
    return this.em.transactional(async () => {
      if (!(await this.beat(epoch, reports.length === 0))) return false;
      await this.markRecovered(recovered.filter((other) => other !== epoch));
      const changed = await this.queries.withChanges(reports, epoch);
      if (changed.length === 0) return true;
      const book = await this.queries.open(changed, epoch);
      for (const report of reports) book.giveBack(report, report);
      await this.queries.store(book, epoch);
      return true;
    });
  }

  private async beat(epoch: string, mayRegister: boolean): Promise<boolean> {
    if (await this.noteHeard(epoch)) return true;
    if (!mayRegister) return false;
    await this.queries.register(epoch);
    return this.noteHeard(epoch);
  }

  private async noteHeard(epoch: string): Promise<boolean> {
    const rows = await this.em.execute<object[]>(
      `update "replica" set "synced_at" = greatest("synced_at", clock_timestamp()) where "epoch" = ? and "expired_at" is null returning "epoch"`,
      [epoch],
    );
    return rows.length > 0;
  }

  /**
   * Marks runs whose records were all sent to the event log: they have ended, and are released once booking passes the
   * log's ends. Records that were sent after their expiry lie beyond the ends noted then, so the reaper notes them again.
   */
  private async markRecovered(epochs: readonly string[]): Promise<void> {
    if (epochs.length === 0) return;
    await this.em.execute(
      `update "replica" set "recovered_at" = clock_timestamp(), "log_ends" = null
       where "epoch" in (select value from json_array_elements_text(?::json)) and "recovered_at" is null and "released_at" is null`,
      [JSON.stringify(epochs)],
      'run',
    );
  }

  private async recallFor(
    epoch: string,
    requests: readonly LeaseRequest[],
    results: readonly LeaseResult[],
  ): Promise<void> {
    const waiting = requests.flatMap((request, index) => missedElsewhere(request, results[index]));
    if (waiting.length > 0) await this.recalls.request(waiting, epoch);
  }
}

/**
 * The funds of a refused request whose blocks at other replicas it needs. A request that exceeds the whole account is
 * not granted even when all of them are back, but then the relay may ask for less.
 */
function missedElsewhere(request: LeaseRequest, result: LeaseResult | undefined): FundId[] {
  if (!result || result.outcome === 'granted' || result.outcome === 'unknown') return [];
  const funds = fundsOf(request);
  if (result.outcome === 'busy') return funds;
  const misses = {
    wallet: result.walletElsewhere > 0 && request.walletNeed > result.walletAvailable,
    token: result.tokenElsewhere > 0 && request.tokenNeed > result.tokenAvailable,
  };
  return funds.filter(({ kind }) => misses[kind]);
}

const fundsOf = ({ userId, tokenId }: LeaseRequest): FundId[] => [
  { kind: 'wallet', id: userId },
  ...(tokenId > 0 ? [{ kind: 'token', id: tokenId } as const] : []),
];
