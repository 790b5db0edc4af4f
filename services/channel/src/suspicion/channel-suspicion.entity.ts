import { defineEntity, p } from '@mikro-orm/core';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';
import type { Witness } from './probe-policy.js';

const channelSuspicion = defineEntity({
  name: 'ChannelSuspicion',
  tableName: 'channel_suspicion',
  properties: {
    channelId: p.integer().primary().autoincrement(false),
    /** The suspected key, of a channel with several; empty if the channel has a single key or the key is not known. */
    keyId: p.text().primary(),
    /** Start of the latest request that is evidence against the channel. */
    observedAt: p.datetime(),
    reason: p.text(),
    evidence: p.json<TransitionEvidence>(),
    /** Used for the decision only if no probe can be sent. */
    witnesses: p.json<Witness[]>(),
    /** Number of inconclusive probes in a row. */
    undecided: p.integer().default(0),
    /** Number of successful probes in a row; the pause before the next probe grows with it. */
    cleared: p.integer().default(0),
    /** Null while the channel is suspect. */
    clearedAt: p.datetime().nullable(),
    /** Earliest time of the next probe. */
    probeAt: p.datetime(),
  },
});

/**
 * Evidence from requests against an enabled channel. By itself it disables nothing: our own probe decides. The row is
 * deleted when the channel's status or key changes; after a successful probe it is kept, so that probes are not sent
 * too often.
 */
export class ChannelSuspicion extends channelSuspicion.class {}
channelSuspicion.setClass(ChannelSuspicion);
