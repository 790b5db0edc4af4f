import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { adminAction } from '@tollgate/contracts';
import type { ChannelCosts, CostTerms, CostVersion, saveCostsSchema, SavedCosts } from '@tollgate/contracts/api/cost';
import { AppError, Clock, unixSeconds } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { ChannelCost } from './channel-cost.entity.js';
import { KnownChannels } from './known-channels.js';

const SHOWN_VERSIONS = 100;

/** Cost prices of channels. Saving states all prices of a channel; each one that differs becomes a new version. */
@Injectable()
export class CostService {
  constructor(
    private readonly em: EntityManager,
    private readonly channels: KnownChannels,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async get(channelId: number): Promise<ChannelCosts> {
    const options = { orderBy: { id: 'desc' }, limit: SHOWN_VERSIONS, disableIdentityMap: true } as const;
    const history = await this.em.find(ChannelCost, { channelId }, options);
    const current = await this.current(channelId);
    return {
      version: history[0]?.id ?? 0,
      current: current.filter(({ terms }) => terms !== null).map(toReply),
      history: history.map(toReply),
    };
  }

  /**
   * Throws `channels-unknown`, or `cost-changed-meanwhile` when the prices differ and the latest version is not the
   * stated one.
   */
  async save(
    { channel_id: channelId, costs, based_on: basedOn }: z.output<typeof saveCostsSchema>,
    actorId: number,
  ): Promise<SavedCosts> {
    await this.channels.requirePresent([channelId]);
    const replaced = await this.em.transactional(async (em) => {
      // The lock lets ids and times ascend together, since readers continue from the last id they know.
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('tollgate:channel-cost', 0))`, [], 'run');
      const stored = await this.current(channelId);
      const known = new Map(stored.map(({ model, terms }) => [model, terms]));
      const wanted = new Map<string, CostTerms | null>([...known.keys()].map((model) => [model, null]));
      for (const { model, terms } of costs) wanted.set(model, terms);
      const changed = [...wanted].filter(([model, terms]) => !isDeepStrictEqual(terms, known.get(model) ?? null));
      if (changed.length === 0) return [];
      requireLatest(basedOn, stored);
      const createdAt = new Date(this.clock.now());
      for (const [model, terms] of changed) em.create(ChannelCost, { channelId, model, terms, actorId, createdAt });
      await em.flush();
      const namesOf = (rows: Iterable<readonly [string, CostTerms | null]>) =>
        Object.fromEntries([...rows].map(([model, terms]) => [model || '*', terms]));
      await this.outbox.add(adminAction, {
        ...{ actorId, action: 'channel-cost', subject: `channel:${channelId}` },
        before: namesOf(changed.map(([model]) => [model, known.get(model) ?? null])),
        after: namesOf(changed),
      });
      const ended = new Set(changed.map(([model]) => model));
      return stored.filter(({ model, terms }) => terms !== null && ended.has(model));
    });
    return { ...(await this.get(channelId)), replaced: replaced.map(toReply) };
  }

  private async current(channelId: number): Promise<CurrentCost[]> {
    return this.em.execute<CurrentCost[]>(
      `select distinct on ("model") "id", "channel_id" as "channelId", "model", "terms", "actor_id" as "actorId", "created_at" as "createdAt"
       from "channel_cost" where "channel_id" = ? order by "model", "id" desc`,
      [channelId],
    );
  }
}

type CurrentCost = Pick<ChannelCost, 'id' | 'channelId' | 'model' | 'actorId'> & {
  terms: CostTerms | null;
  createdAt: Date | string;
};

/**
 * Throws `cost-changed-meanwhile` unless the caller saw the latest version. Otherwise the second of two people who
 * started from the same prices would end the first one's entries, and requests of that time would keep the wrong cost.
 */
function requireLatest(basedOn: number | undefined, stored: readonly CurrentCost[]): void {
  const latest = Math.max(0, ...stored.map(({ id }) => id));
  if (basedOn === undefined || basedOn === latest) return;
  throw new AppError('conflict', 'cost-changed-meanwhile', '该渠道的成本价已被他人修改，请核对后再保存', {
    params: { version: latest },
  });
}

const toReply = ({ id, channelId, model, terms, actorId, createdAt }: CurrentCost | ChannelCost): CostVersion => ({
  ...{ id, channel_id: channelId, model, terms: terms ?? null, actor_id: actorId },
  since: unixSeconds(createdAt),
});
