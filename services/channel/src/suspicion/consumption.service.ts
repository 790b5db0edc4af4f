import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { EventBatch, requestConsumed } from '@tollgate/contracts';
import { OptionStore } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { FRESH } from '../channel/channel-store.js';
import { CountedRequests } from './counted-requests.js';
import { credentialEvidence, quotaByChannel, servedChannels } from './credential-evidence.js';
import { Prober } from './prober.js';
import { Suspicions } from './suspicions.js';

/** Takes two facts from consumption events: how much quota was used per channel, and which keys may no longer work. */
@Injectable()
export class ConsumptionService {
  constructor(
    private readonly em: EntityManager,
    private readonly counted: CountedRequests,
    private readonly suspicions: Suspicions,
    private readonly prober: Prober,
    private readonly options: OptionStore,
  ) {}

  /** Counts each request once, however often its event is delivered. */
  async count(batch: EventBatch<typeof requestConsumed>): Promise<void> {
    const isRaised = await this.em.transactional(async (em) => {
      const admitted = await this.counted.admit(
        em,
        batch.map(({ id }) => id),
      );
      // A batch may contain an event twice: `delete` returns true only for the first one.
      const events = batch.filter(({ id }) => admitted.delete(id));
      const quotas = quotaByChannel(events);
      const evidence = this.options.get('AutomaticDisableChannelEnabled') ? credentialEvidence(events) : [];
      const accused = evidence.map(({ channelId }) => channelId);
      await this.addQuota(em, quotas, [...new Set([...quotas.keys(), ...accused])]);
      const served = servedChannels(events);
      await this.suspicions.lockAll(em, [...served, ...accused]);
      await this.suspicions.forgetWitnesses(em, served);
      return evidence.length > 0 && (await this.suspicions.raise(em, evidence));
    }, FRESH);
    if (isRaised) this.prober.wake();
  }

  /** Locks every channel that the transaction will change, in the order of the ids, before the first change. */
  private async addQuota(
    em: EntityManager,
    quotas: ReadonlyMap<number, number>,
    channelIds: readonly number[],
  ): Promise<void> {
    if (channelIds.length === 0) return;
    await bound(em, 'select "id" from "channel" where "id" = any($1::int[]) order by "id" for no key update', [
      channelIds,
    ]);
    if (quotas.size === 0) return;
    await bound(
      em,
      `update "channel" set "used_quota" = "used_quota" + used."quota"
       from unnest($1::int[], $2::bigint[]) used("id", "quota") where "channel"."id" = used."id"`,
      [[...quotas.keys()], [...quotas.values()]],
    );
  }
}
