import { defineEntity, p } from '@mikro-orm/core';

/** Why a status changed: by a person, by evidence of real requests, by a test, or by an empty upstream account. */
export type TransitionCause = 'manual' | 'request' | 'test' | 'balance';

/**
 * What came of it: the status changed, a probe found the channel well, probes proved nothing, or the brake kept the channel on
 * because too many went off at once, or one of its keys was set aside or came back. Only `moved` changes the status.
 */
export type TransitionOutcome = 'moved' | 'cleared' | 'unproven' | 'held' | 'key-away' | 'key-back';

/** What the decision rested on; texts are masked. */
export interface TransitionEvidence {
  status?: number;
  errorCode?: string;
  errorType?: string;
  message?: string;
  /** The request that failed, when it was one of a user. */
  requestId?: string;
  model?: string;
  responseTimeMs?: number;
  balance?: number;
  observedAt?: string;
  /** The key that was used, of a channel that has several. */
  keyId?: string;
  /** Our own request that put the evidence to the proof. */
  probe?: TransitionEvidence;
  /** Where no probe can be sent: how many requests of how many users told the same. */
  requests?: number;
  users?: number;
}

const channelTransition = defineEntity({
  name: 'ChannelTransition',
  tableName: 'channel_transition',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** No reference: the history outlives the channel. */
    channelId: p.integer(),
    fromStatus: p.integer(),
    toStatus: p.integer(),
    cause: p.text().$type<TransitionCause>(),
    outcome: p.text().$type<TransitionOutcome>().default('moved'),
    reason: p.text(),
    evidence: p.json<TransitionEvidence>(),
    /** The administrator; absent when the system acted. */
    actorId: p.integer().nullable(),
    happenedAt: p.datetime(),
  },
});

/** One change of a channel's status, or a decision against it, with its evidence; the rows of a channel are its timeline. */
export class ChannelTransition extends channelTransition.class {}
channelTransition.setClass(ChannelTransition);
