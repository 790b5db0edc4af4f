import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Logger, broadcastChannel, growingCache } from '@tollgate/chassis';
import { rowset } from '../units.js';
import { type FundId, fundKey } from './lease-book.js';

/**
 * Broadcasts `wallet:<id>` and `token:<id>` to replicas that may have idle quota of these accounts, because others need
 * it.
 */
const LEASE_RECALL_CHANNEL = broadcastChannel('lease-recall');
const REPEAT_AFTER_MS = 100;

/**
 * Asks replicas to return idle quota that others wait for. Each recall is a row, which every billing replica adds to
 * its replies to heartbeats, and a broadcast, which is faster. Losing either only costs time.
 */
@Injectable()
export class RecallBoard {
  private readonly requested = growingCache<string, true>({ most: 10_000, ttl: REPEAT_AFTER_MS });

  constructor(
    private readonly em: EntityManager,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
  ) {}

  /** `epoch` is the run that waits; without it, all replicas are asked. */
  async request(accounts: readonly FundId[], epoch = ''): Promise<void> {
    const fresh = accounts.filter((account) => !this.requested.has(`${epoch}:${fundKey(account)}`));
    if (fresh.length === 0) return;
    for (const account of fresh) this.requested.set(`${epoch}:${fundKey(account)}`, true);
    const rows = await this.em.execute<FundId[]>(
      `with wish as (
         select distinct w."kind", w."id" from json_to_recordset(?::json) as w("kind" text, "id" int)
         where exists (select 1 from "lease" l where l."kind" = w."kind" and l."account_id" = w."id" and l."replica_epoch" <> ?
           and l."granted" - l."returned" - l."booked" > 0)
       )
       insert into "lease_wait" ("kind", "account_id", "replica_epoch", "wanted_at") select "kind", "id", ?, now() from wish order by 1, 2
       on conflict ("kind", "account_id", "replica_epoch") do update set "wanted_at" = excluded."wanted_at"
       returning "kind", "account_id" as "id"`,
      [rowset(fresh), epoch, epoch],
    );
    for (const row of rows) this.broadcast(fundKey(row));
  }

  /** Funds of which this run has outstanding quota and that others wanted recently. */
  async recallsFor(epoch: string): Promise<FundId[]> {
    return this.em.execute<FundId[]>(
      `select distinct l."kind", l."account_id" as "id" from "lease" l join "lease_wait" w using ("kind", "account_id")
       where l."replica_epoch" = ? and w."replica_epoch" <> l."replica_epoch" and w."wanted_at" > now() - interval '6 seconds'
         and l."granted" - l."returned" - l."booked" > 0`,
      [epoch],
    );
  }

  async sweep(): Promise<void> {
    await this.em.execute(`delete from "lease_wait" where "wanted_at" < now() - interval '1 minute'`, [], 'run');
  }

  private broadcast(message: string): void {
    this.keyValue
      .publish(LEASE_RECALL_CHANNEL, message)
      .catch((error: unknown) => this.logger.debug('recall not broadcast', { error }));
  }
}
