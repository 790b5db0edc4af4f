import { defineEntity, p } from '@mikro-orm/core';
import type { CostTerms } from '@tollgate/contracts/api/cost';

const channelCost = defineEntity({
  name: 'ChannelCost',
  tableName: 'channel_cost',
  properties: {
    id: p.integer().primary().autoincrement(),
    channelId: p.integer(),
    /** Empty: applies to all models without a version of their own. */
    model: p.text(),
    /** Null: the cost is unknown from this version on. */
    terms: p.json<CostTerms>().nullable(),
    actorId: p.integer(),
    /** The version applies from this time on. */
    createdAt: p.datetime(),
  },
});

/** A version of the prices that a channel's provider charges. Versions are never changed; the latest one applies. */
export class ChannelCost extends channelCost.class {}
channelCost.setClass(ChannelCost);
