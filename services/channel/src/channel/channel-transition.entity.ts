import { defineEntity, p } from '@mikro-orm/core';

/** What triggered the decision: a person, evidence from users' requests, a test, or an empty upstream account. */
export type TransitionCause = 'manual' | 'request' | 'test' | 'balance';

/**
 * The decision: the status changed (`moved`), a probe succeeded (`cleared`), probes were inconclusive (`unproven`), the
 * brake kept the channel enabled because too many were disabled at once (`held`), or one of its keys was set aside or
 * came back. Only `moved` changes the status.
 */
export type TransitionOutcome = 'moved' | 'cleared' | 'unproven' | 'held' | 'key-away' | 'key-back';

/** The facts behind the decision, with secrets masked. */
export interface TransitionEvidence {
  status?: number;
  errorCode?: string;
  errorType?: string;
  message?: string;
  /** The user's request that failed, if there was one. */
  requestId?: string;
  model?: string;
  responseTimeMs?: number;
  balance?: number;
  observedAt?: string;
  /** The key that was used, if the channel has several. */
  keyId?: string;
  /** Result of the probe that checked the evidence. */
  probe?: TransitionEvidence;
  /** When no probe can be sent: the number of requests, and of users, with the same evidence. */
  requests?: number;
  users?: number;
}

const channelTransition = defineEntity({
  name: 'ChannelTransition',
  tableName: 'channel_transition',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** No foreign key: the history is kept when the channel is deleted. */
    channelId: p.integer(),
    fromStatus: p.integer(),
    toStatus: p.integer(),
    cause: p.text().$type<TransitionCause>(),
    outcome: p.text().$type<TransitionOutcome>().default('moved'),
    reason: p.text(),
    evidence: p.json<TransitionEvidence>(),
    /** The administrator; null when the system acted. */
    actorId: p.integer().nullable(),
    happenedAt: p.datetime(),
  },
});

/**
 * A change of a channel's status, or a decision not to change it, with its evidence. The rows of a channel are its
 * timeline.
 */
export class ChannelTransition extends channelTransition.class {}
channelTransition.setClass(ChannelTransition);
