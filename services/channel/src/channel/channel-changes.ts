import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  adminAction,
  channelChanged,
  channelDisabled,
  channelEnabled,
  ChannelStatus,
  type EventOf,
} from '@tollgate/contracts';
import { Clock, storableJson, storableText } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { AbilityService } from '../ability/ability.service.js';
import { nextRoutingRevision } from '../ability/routing-revision.js';
import {
  ChannelTransition,
  type TransitionCause,
  type TransitionEvidence,
  type TransitionOutcome,
} from './channel-transition.entity.js';
import type { Channel } from './channel.entity.js';
import { FIRST_LOOK, retried } from './channel-keys.js';

export type AuditEntry = EventOf<typeof adminAction>['data'];

export interface Move {
  to: number;
  cause: TransitionCause;
  /** With secrets masked; administrators see it next to the status. */
  reason: string;
  evidence?: TransitionEvidence;
  /** Keys that were set aside stay set aside when the channel is enabled. */
  keepsKeys?: boolean;
  actorId?: number;
}

/** A status change whose event still has to be published. */
export interface Moved {
  channel: Channel;
  move: Move;
}

interface Publication {
  /** Every channel whose routing changed, including deleted ones. */
  channelIds: readonly number[];
  moved?: readonly Moved[];
  audit?: AuditEntry;
}

/**
 * The common part of all changes to channels. The caller runs the transaction and has locked the rows in the order of
 * their ids.
 */
@Injectable()
export class ChannelChanges {
  constructor(
    private readonly abilities: AbilityService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes the status and adds a row to the timeline. Returns `undefined` when the channel already has that status.
   */
  move(em: EntityManager, channel: Channel, move: Move): Moved | undefined {
    const { to } = move;
    if (channel.status === to) return undefined;
    const at = new Date(this.clock.now());
    this.write(em, channel, { move, at, outcome: 'moved' });
    channel.moveTo(to, at, storableText(move.reason));
    // A successful request does not prove that an account is no longer empty.
    if (to === ChannelStatus.autoDisabled && move.cause !== 'balance')
      channel.probeSoon(new Date(at.getTime() + FIRST_LOOK * 1000));
    // Enabling a channel also clears keys that were set aside automatically, unless it is enabled because one of its
    // keys came back.
    if (to === ChannelStatus.enabled && move.keepsKeys !== true) channel.keyStates = retried(channel.keyStates);
    if (to === ChannelStatus.enabled) channel.forgetEvidence(at);
    return { channel, move };
  }

  /** Adds a decision that did not change the status to the timeline; no event is published for it. */
  note(em: EntityManager, channel: Channel, outcome: TransitionOutcome, move: Omit<Move, 'to'>): void {
    this.write(em, channel, { move: { ...move, to: channel.status }, at: new Date(this.clock.now()), outcome });
  }

  /**
   * Updates the abilities, raises the routing revision and adds the events to the outbox. Must be the last step of the
   * transaction.
   */
  async publish(em: EntityManager, { channelIds, moved = [], audit }: Publication): Promise<void> {
    await em.flush();
    if (channelIds.length > 0) {
      await this.abilities.sync(em, channelIds);
      await endSuspicions(em, channelIds);
      const revision = await nextRoutingRevision(em);
      await this.outbox.addAll(
        channelChanged,
        channelIds.map((channelId) => ({ channelId, revision })),
      );
    }
    const isOn = ({ move }: Moved): boolean => move.to === ChannelStatus.enabled;
    await this.outbox.addAll(channelEnabled, moved.filter(isOn).map(enabledEvent));
    await this.outbox.addAll(channelDisabled, moved.filter((one) => !isOn(one)).map(disabledEvent));
    if (audit) await this.outbox.add(adminAction, audit);
  }

  private write(
    em: EntityManager,
    { id: channelId, status: fromStatus }: Channel,
    { move, at, outcome }: { move: Move; at: Date; outcome: TransitionOutcome },
  ): void {
    const { to: toStatus, cause, reason, evidence = {}, actorId = null } = move;
    em.persist(
      em.create(ChannelTransition, {
        channelId,
        fromStatus,
        toStatus,
        cause,
        outcome,
        reason: storableText(reason),
        // Texts from an upstream may contain characters that PostgreSQL cannot store.
        evidence: JSON.parse(storableJson(evidence)) as TransitionEvidence,
        actorId,
        happenedAt: at,
      }),
    );
  }
}

const enabledEvent = ({ channel, move }: Moved): EventOf<typeof channelEnabled>['data'] => ({
  channelId: channel.id,
  name: channel.name,
  automatic: move.cause !== 'manual',
});

function disabledEvent({ channel, move }: Moved): EventOf<typeof channelDisabled>['data'] {
  const { status, errorCode, errorType, requestId } = move.evidence ?? {};
  return {
    channelId: channel.id,
    name: channel.name,
    automatic: move.cause !== 'manual',
    reason: move.reason,
    ...(status !== undefined && { evidence: { status, errorCode, errorType, requestId } }),
  };
}

/** Deletes suspicions that no longer apply, because the channel's status or key has changed. */
async function endSuspicions(em: EntityManager, channelIds: readonly number[]): Promise<void> {
  await em.execute(
    `delete from "channel_suspicion" s using "channel" c where c."id" = s."channel_id" and s."channel_id" = any(array[?]::int[])
       and (c."status" <> ${ChannelStatus.enabled} or not c."auto_ban" or s."observed_at" < c."evidence_since")`,
    [channelIds],
  );
}
