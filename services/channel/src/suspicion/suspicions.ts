import { Injectable } from '@nestjs/common';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { Clock, storableJson, storableText } from '@tollgate/chassis';
import { sqlTime } from '@tollgate/database';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';
import { Channel } from '../channel/channel.entity.js';
import { ChannelSuspicion } from './channel-suspicion.entity.js';
import type { CredentialEvidence } from './credential-evidence.js';
import {
  addWitnesses,
  FORGIVEN_AFTER_MS,
  isCertain,
  LONGEST_PAUSE_MS,
  PROBE_AGAIN_MS,
  pauseAfterClearing,
} from './probe-policy.js';

/** The suspect: a channel, or one of its keys. */
type SuspicionKey = Pick<ChannelSuspicion, 'channelId' | 'keyId'>;

/** Which channels are suspect, and when each may be probed. */
@Injectable()
export class Suspicions {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Records evidence in the caller's transaction, which has locked the channels. Ignores channels that are deleted, not
   * enabled, excluded from automatic disabling, or changed since the evidence. Returns whether any channel is suspect
   * now.
   */
  async raise(em: EntityManager, evidence: readonly CredentialEvidence[]): Promise<boolean> {
    const candidates = {
      id: { $in: evidence.map(({ channelId }) => channelId) },
      status: ChannelStatus.enabled,
      autoBan: true,
    };
    const channels = await em.find(Channel, candidates, { orderBy: { id: 'asc' } });
    const known = await em.find(
      ChannelSuspicion,
      { channelId: { $in: channels.map(({ id }) => id) } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { channelId: 'asc', keyId: 'asc' } },
    );
    let isRaised = false;
    for (const found of evidence) {
      const channel = channels.find(({ id }) => id === found.channelId);
      if (!channel?.admitEvidence(found.observedAt, new Date(this.clock.now()))) continue;
      const suspicion =
        known.find(({ channelId, keyId }) => channelId === found.channelId && keyId === found.keyId) ??
        this.begin(em, found);
      this.add(suspicion, found);
      isRaised = true;
    }
    return isRaised;
  }

  /** Locks the suspicions of these channels, in the order of their ids, before the caller's first change. */
  async lockAll(em: EntityManager, channelIds: readonly number[]): Promise<void> {
    if (channelIds.length === 0) return;
    await em.execute(
      'select 1 from "channel_suspicion" where "channel_id" = any(array[?]::int[]) order by "channel_id", "key_id" for update',
      [channelIds],
    );
  }

  /** Called for channels that completed a request: earlier evidence then no longer counts as repeated. */
  async forgetWitnesses(em: EntityManager, channelIds: readonly number[]): Promise<void> {
    if (channelIds.length === 0) return;
    await em.execute(
      `update "channel_suspicion" set "witnesses" = '[]' where "channel_id" = any(array[?]::int[]) and "witnesses" <> '[]'`,
      [channelIds],
    );
  }

  /** Whether `claim` would find any, as an SQL expression. */
  due(): string {
    return `exists (select from "channel_suspicion" where ${this.isDue()})`;
  }

  /** A probe further away than the longest pause was scheduled by a clock that was ahead. */
  private isDue(): string {
    const now = this.clock.now();
    return `"cleared_at" is null and ("probe_at" <= ${sqlTime(now)} or "probe_at" > ${sqlTime(now + LONGEST_PAUSE_MS)})`;
  }

  /**
   * Claims suspicions that may be probed now, each for one process. A claimed one becomes due again after a minute,
   * whatever happens to the probe.
   */
  async claim(limit: number): Promise<ChannelSuspicion[]> {
    const now = this.clock.now();
    const rows = await this.em.execute<{ channel_id: number; key_id: string }[]>(
      `update "channel_suspicion" set "probe_at" = ? where ("channel_id", "key_id") in (
         select "channel_id", "key_id" from "channel_suspicion" where ${this.isDue()}
         order by "probe_at" limit ? for update skip locked
       ) returning "channel_id", "key_id"`,
      [new Date(now + PROBE_AGAIN_MS), limit],
    );
    if (rows.length === 0) return [];
    return this.em.find(
      ChannelSuspicion,
      { $or: rows.map((row) => ({ channelId: row.channel_id, keyId: row.key_id })) },
      { refresh: true, orderBy: { channelId: 'asc', keyId: 'asc' } },
    );
  }

  /** Ends the suspicion. Evidence from after `provenAt` needs another probe, after a pause. */
  async clear(em: EntityManager, place: SuspicionKey, provenAt: Date): Promise<void> {
    const suspicion = await this.lock(em, place);
    if (!suspicion) return;
    const now = this.clock.now();
    suspicion.cleared += 1;
    suspicion.undecided = 0;
    suspicion.clearedAt = suspicion.observedAt.getTime() > provenAt.getTime() ? null : new Date(now);
    suspicion.probeAt = new Date(now + pauseAfterClearing(suspicion.cleared));
    suspicion.witnesses = [];
  }

  async postpone(em: EntityManager, place: SuspicionKey, afterMs: number, undecided = 0): Promise<void> {
    const suspicion = await this.lock(em, place);
    if (!suspicion) return;
    suspicion.undecided = undecided;
    suspicion.probeAt = new Date(this.clock.now() + afterMs);
  }

  async drop(em: EntityManager, { channelId, keyId }: SuspicionKey): Promise<void> {
    await em.nativeDelete(ChannelSuspicion, { channelId, keyId });
  }

  private async lock(em: EntityManager, { channelId, keyId }: SuspicionKey): Promise<ChannelSuspicion | null> {
    return em.findOne(ChannelSuspicion, { channelId, keyId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  private begin(em: EntityManager, { channelId, keyId, observedAt, reason, details }: CredentialEvidence) {
    const probeAt = new Date(this.clock.now());
    return em.create(ChannelSuspicion, {
      ...{ channelId, keyId, observedAt },
      ...wordsOf(reason, details),
      witnesses: [],
      undecided: 0,
      cleared: 0,
      clearedAt: null,
      probeAt,
    });
  }

  /**
   * A pause in progress is kept, unless there is nothing to wait for any more. After a long time without suspicion the
   * pause starts at its minimum again.
   */
  private add(suspicion: ChannelSuspicion, { observedAt, reason, details, witnesses }: CredentialEvidence): void {
    const { clearedAt } = suspicion;
    if (clearedAt && this.clock.now() - clearedAt.getTime() > FORGIVEN_AFTER_MS) suspicion.cleared = 0;
    // The evidence arrived late: the channel was probed after it.
    if (clearedAt && clearedAt.getTime() >= observedAt.getTime()) return;
    suspicion.clearedAt = null;
    if (observedAt.getTime() >= suspicion.observedAt.getTime())
      Object.assign(suspicion, { observedAt, ...wordsOf(reason, details) });
    suspicion.witnesses = addWitnesses(suspicion.witnesses, witnesses);
    if (isCertain(details)) suspicion.probeAt = new Date(this.clock.now());
  }
}

/**
 * Events of older relays contain texts of upstreams unchanged, so characters that PostgreSQL cannot store are replaced
 * here.
 */
const wordsOf = (reason: string, evidence: TransitionEvidence) => ({
  reason: storableText(reason),
  evidence: JSON.parse(storableJson(evidence)) as TransitionEvidence,
});
