import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Logger, Metrics } from '@tollgate/chassis';
import type { Counter } from 'prom-client';
import type { FundId, LeaseBook, LeaseRequest, LeaseResult } from './lease-book.js';
import { type AccountReport, LeaseQueries } from './lease.queries.js';
import { RecallBoard } from './recall-board.js';

interface AcquireReply {
  /** False when this run of the replica has expired and must start a new epoch. */
  alive: boolean;
  results: LeaseResult[];
}

interface Heard {
  alive: boolean;
  /** How many heartbeats of the run are stored. */
  beats?: number;
  /** Of the named accounts, what was lent beyond what the replica reported. */
  lent: (FundId & { granted: number })[];
}

interface SyncReply extends Heard {
  recall: FundId[];
}

/** What a replica says of itself every few seconds. */
interface Heartbeat {
  replicaEpoch: string;
  /** The number that billing last replied. */
  beats: number;
  accounts: AccountReport[];
  /** Other runs whose records were all sent to the event log. */
  recovered: string[];
}

const DEAD: Heard = { alive: false, lent: [] };

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
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('tollgate_billing_lease_requests_total', 'Requests for quota by outcome.', [
      'outcome',
    ]);
  }

  /** Serves all requests of the batch in one transaction; each is granted completely or not at all. */
  async acquire(epoch: string, requests: readonly LeaseRequest[]): Promise<AcquireReply> {
    const accounts = requests.flatMap(fundsOf);
    const { book, ...reply } = await this.em.transactional(async () => {
      if (!(await this.queries.admit(epoch))) return { alive: false, results: requests.map(() => REFUSED) };
      const opened = await this.queries.open(accounts, epoch);
      const results = opened.serve(requests);
      await this.queries.store(opened, epoch);
      return { alive: true, results, book: opened };
    });
    for (const { outcome } of reply.results) this.outcomes.inc({ outcome });
    await this.recallFor(epoch, requests, reply.results);
    if (book) await this.noteLost(epoch, book);
    return reply;
  }

  /**
   * Combines heartbeat and return of quota. An epoch that reports leases but is unknown has outlived them, and is not
   * accepted.
   */
  async sync(heartbeat: Heartbeat): Promise<SyncReply> {
    const { replicaEpoch, accounts, recovered } = heartbeat;
    // What an idle replica says every few seconds needs no transaction.
    const isBeatAlone = accounts.length + recovered.length === 0;
    const heard = await (isBeatAlone ? this.beat(heartbeat) : this.note(heartbeat));
    return { ...heard, recall: heard.alive ? await this.recalls.recallsFor(replicaEpoch) : [] };
  }

  private async note(heartbeat: Heartbeat): Promise<Heard> {
    const { replicaEpoch: epoch, accounts, recovered } = heartbeat;
    const { book, ...heard } = await this.em.transactional(async (): Promise<Heard & { book?: LeaseBook }> => {
      const beat = await this.beat(heartbeat);
      if (!beat.alive) return beat;
      await this.markRecovered(recovered.filter((other) => other !== epoch));
      const differing = await this.queries.differing(accounts, epoch);
      const lent = differing.flatMap(({ isMore, kind, id, granted }) => (isMore ? [{ kind, id, granted }] : []));
      const news = differing.filter(({ isNews }) => isNews);
      if (news.length === 0) return { ...beat, lent };
      const opened = await this.queries.open(news, epoch);
      for (const report of accounts) opened.takeReport(report, report);
      await this.queries.store(opened, epoch);
      return { ...beat, lent, book: opened };
    });
    if (book) await this.noteLost(epoch, book);
    return heard;
  }

  /** A run that reports no quota may be a new one; one that does, and is unknown, has outlived its leases. */
  private async beat({ replicaEpoch: epoch, beats, accounts }: Heartbeat): Promise<Heard> {
    const heard = await this.noteHeard(epoch, beats);
    if (heard || accounts.some(({ granted }) => granted !== 0)) return heard ?? DEAD;
    await this.queries.register(epoch);
    return (await this.noteHeard(epoch, beats)) ?? DEAD;
  }

  /** Counts the heartbeat unless earlier ones were lost; then the replica learns of it by the same number again. */
  private async noteHeard(epoch: string, beats: number): Promise<Heard | undefined> {
    const [row] = await this.em.execute<{ beats: string }[]>(
      `update "replica" set "synced_at" = greatest("synced_at", clock_timestamp()),
         "beats" = "beats" + case when "beats" >= ? then 1 else 0 end
       where "epoch" = ? and "expired_at" is null returning "beats"`,
      [beats, epoch],
    );
    return row && { alive: true, beats: Number(row.beats), lent: [] };
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

  /**
   * A database that lost commits does not know what it lent in them, until the replica reports it. What it lent again
   * meanwhile comes back as far as it is idle.
   */
  private async noteLost(epoch: string, book: LeaseBook): Promise<void> {
    const { found, overlent } = book.lostGrants();
    if (found.length === 0) return;
    this.logger.warn('a relay reports quota that the database does not know to be lent', {
      epoch,
      funds: found.length,
      overlent: overlent.length,
    });
    await this.recalls.request(overlent);
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
