import { defineEntity, p } from '@mikro-orm/core';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';
import type { Witness } from './probe-policy.js';

const channelSuspicion = defineEntity({
  name: 'ChannelSuspicion',
  tableName: 'channel_suspicion',
  properties: {
    channelId: p.integer().primary().autoincrement(false),
    /** One of several keys of the channel; empty: its only one, or nobody knows which. */
    keyId: p.text().primary(),
    /** When the latest request began that speaks against the channel. */
    observedAt: p.datetime(),
    reason: p.text(),
    evidence: p.json<TransitionEvidence>(),
    /** Decide only where no probe can be sent. */
    witnesses: p.json<Witness[]>(),
    /** Probes in a row that proved nothing. */
    undecided: p.integer().default(0),
    /** Probes in a row that found the channel well: the more, the longer until the next one. */
    cleared: p.integer().default(0),
    /** Absent while the channel is suspect. */
    clearedAt: p.datetime().nullable(),
    /** No probe is sent before. */
    probeAt: p.datetime(),
  },
});

/**
 * What requests say against an enabled channel. It switches nothing off: a probe of our own decides. A row ends with the status or
 * the key it was about; a cleared one stays to keep probes apart.
 */
export class ChannelSuspicion extends channelSuspicion.class {}
channelSuspicion.setClass(ChannelSuspicion);
