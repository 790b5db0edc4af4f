import { defineEntity, p } from '@mikro-orm/core';
import type { CostTerms } from '@tollgate/contracts/api/cost';

const channelCost = defineEntity({
  name: 'ChannelCost',
  tableName: 'channel_cost',
  properties: {
    id: p.integer().primary().autoincrement(),
    channelId: p.integer(),
    /** Empty: all models without a version of their own. */
    model: p.text(),
    /** Null: not known from then on. */
    terms: p.json<CostTerms>().nullable(),
    actorId: p.integer(),
    /** From then on it counts. */
    createdAt: p.datetime(),
  },
});

/** A version of what a channel's provider asks. It is never changed; the latest one counts. */
export class ChannelCost extends channelCost.class {}
channelCost.setClass(ChannelCost);
