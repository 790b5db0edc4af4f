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
import { retried } from './channel-keys.js';

export type AuditEntry = EventOf<typeof adminAction>['data'];

export interface Move {
  to: number;
  cause: TransitionCause;
  /** Masked; shown to administrators beside the status. */
  reason: string;
  evidence?: TransitionEvidence;
  /** Keys that are set aside stay so. */
  keepsKeys?: boolean;
  actorId?: number;
}

/** A status change that was made and still has to be told. */
export interface Moved {
  channel: Channel;
  move: Move;
}

interface Publication {
  /** Every channel whose routing changed, deleted ones included. */
  channelIds: readonly number[];
  moved?: readonly Moved[];
  audit?: AuditEntry;
}

/** What every change of channels has in common. The caller owns the transaction and has locked the rows, in the order of their ids. */
@Injectable()
export class ChannelChanges {
  constructor(
    private readonly abilities: AbilityService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Changes the status and keeps the reason as a row of the timeline. Undefined when the channel is there already. */
  move(em: EntityManager, channel: Channel, move: Move): Moved | undefined {
    const { to } = move;
    if (channel.status === to) return undefined;
    const at = new Date(this.clock.now());
    this.write(em, channel, { move, at, outcome: 'moved' });
    channel.moveTo(to, at, storableText(move.reason));
    // Switched on, its keys get another chance, but where one of them is why it is switched on.
    if (to === ChannelStatus.enabled && move.keepsKeys !== true) channel.keyStates = retried(channel.keyStates);
    if (to === ChannelStatus.enabled) channel.forgetEvidence(at);
    return { channel, move };
  }

  /** Keeps a decision that left the status as it is in the timeline; nobody has to be told. */
  note(em: EntityManager, channel: Channel, outcome: TransitionOutcome, move: Omit<Move, 'to'>): void {
    this.write(em, channel, { move: { ...move, to: channel.status }, at: new Date(this.clock.now()), outcome });
  }

  /** Abilities follow the rows, the revision grows, the events go out. The last thing a transaction does. */
  async publish(em: EntityManager, { channelIds, moved = [], audit }: Publication): Promise<void> {
    await em.flush();
    if (channelIds.length > 0) {
      await this.abilities.sync(em, channelIds);
      await endSuspicions(em, channelIds);
      const revision = await nextRoutingRevision(em);
      for (const channelId of channelIds) await this.outbox.add(channelChanged, { channelId, revision });
    }
    for (const { channel, move } of moved) await this.tell(channel, move);
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
        // The words of an upstream hold what it likes.
        evidence: JSON.parse(storableJson(evidence)) as TransitionEvidence,
        actorId,
        happenedAt: at,
      }),
    );
  }

  private async tell({ id: channelId, name }: Channel, { to, cause, reason, evidence }: Move): Promise<void> {
    const automatic = cause !== 'manual';
    if (to === ChannelStatus.enabled) return this.outbox.add(channelEnabled, { channelId, name, automatic });
    const { status, errorCode, errorType, requestId } = evidence ?? {};
    await this.outbox.add(channelDisabled, {
      channelId,
      name,
      automatic,
      reason,
      ...(status !== undefined && { evidence: { status, errorCode, errorType, requestId } }),
    });
  }
}

/** What was said against a channel ends with the status and the key it was about. */
async function endSuspicions(em: EntityManager, channelIds: readonly number[]): Promise<void> {
  await em.execute(
    `delete from "channel_suspicion" s using "channel" c where c."id" = s."channel_id" and s."channel_id" = any(array[?]::int[])
       and (c."status" <> 1 or not c."auto_ban" or s."observed_at" < c."evidence_since")`,
    [channelIds],
  );
}
