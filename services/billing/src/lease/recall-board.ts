import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Logger, broadcastChannel, growingCache } from '@tollgate/chassis';
import { rowset } from '../units.js';
import { type FundId, fundKey } from './lease-book.js';

/** Replicas listen here for `wallet:<id>` and `token:<id>`: somebody else needs what they have idle. */
const LEASE_RECALL_CHANNEL = broadcastChannel('lease-recall');
const ASK_AGAIN_MS = 100;

/**
 * Requests to give back quota, for whoever waits for what other replicas have leased. Each is a row, for the heartbeat of every billing replica, and a
 * broadcast, for the impatient; losing either costs only time.
 */
@Injectable()
export class RecallBoard {
  private readonly asked = growingCache<string, true>({ most: 10_000, ttl: ASK_AGAIN_MS });

  constructor(
    private readonly em: EntityManager,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
  ) {}

  /** `epoch` is the replica that waits; without one, every replica is asked. */
  async ask(accounts: readonly FundId[], epoch = ''): Promise<void> {
    const fresh = accounts.filter((account) => !this.asked.has(`${epoch}:${fundKey(account)}`));
    if (fresh.length === 0) return;
    for (const account of fresh) this.asked.set(`${epoch}:${fundKey(account)}`, true);
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

  /** Funds this replica has quota of and others wanted lately. */
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
