import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus, type EventBatch, type requestConsumed } from '@tollgate/contracts';
import { OptionStore } from '@tollgate/platform';
import { ChannelChanges, type Moved } from '../channel/channel-changes.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import { CountedRequests } from './counted-requests.js';
import { credentialEvidence, quotaByChannel } from './credential-evidence.js';

/** What requests tell about channels: how much was used, and which keys no longer work. */
@Injectable()
export class ConsumptionService {
  constructor(
    private readonly em: EntityManager,
    private readonly counted: CountedRequests,
    private readonly changes: ChannelChanges,
    private readonly options: OptionStore,
  ) {}

  /** A request counts once however often it is delivered. */
  async count(batch: EventBatch<typeof requestConsumed>): Promise<void> {
    await this.em.transactional(async (em) => {
      const admitted = await this.counted.admit(
        em,
        batch.map(({ id }) => id),
      );
      // A batch may hold an event twice: the first one takes its id out of the set.
      const events = batch.filter(({ id }) => admitted.delete(id));
      const quotas = quotaByChannel(events);
      const evidence = this.options.get('AutomaticDisableChannelEnabled') ? credentialEvidence(events) : new Map();
      await this.addQuota(em, quotas, [...new Set([...quotas.keys(), ...evidence.keys()])]);
      if (evidence.size > 0) await this.disable(em, evidence);
    }, FRESH);
  }

  /** Locks every channel the transaction will touch, in the order of the ids, before it changes the first. */
  private async addQuota(
    em: EntityManager,
    quotas: ReadonlyMap<number, number>,
    channelIds: readonly number[],
  ): Promise<void> {
    if (channelIds.length === 0) return;
    await em.execute('select "id" from "channel" where "id" = any(array[?]::int[]) order by "id" for no key update', [
      channelIds,
    ]);
    if (quotas.size === 0) return;
    await em.execute(
      `update "channel" set "used_quota" = "used_quota" + used."quota"
       from unnest(array[?]::int[], array[?]::bigint[]) used("id", "quota") where "channel"."id" = used."id"`,
      [[...quotas.keys()], [...quotas.values()]],
    );
  }

  /** Channels that are gone, no longer enabled, not to be switched off, or mended since are left alone. */
  private async disable(em: EntityManager, evidence: ReturnType<typeof credentialEvidence>): Promise<void> {
    const candidates = { id: { $in: [...evidence.keys()] }, status: ChannelStatus.enabled, autoBan: true };
    const moved: Moved[] = [];
    for (const channel of await lockChannels(em, candidates)) {
      const found = evidence.get(channel.id);
      if (!found || !channel.acceptsEvidenceFrom(found.observedAt)) continue;
      const move = this.changes.move(em, channel, {
        to: ChannelStatus.autoDisabled,
        cause: 'request',
        reason: found.reason,
        evidence: found.details,
      });
      if (move) moved.push(move);
    }
    if (moved.length > 0) await this.changes.publish(em, { channelIds: moved.map(({ channel }) => channel.id), moved });
  }
}
