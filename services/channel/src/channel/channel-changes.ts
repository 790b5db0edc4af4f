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
import { Clock, Outbox } from '@tollgate/platform';
import { AbilityService } from '../ability/ability.service.js';
import { nextRoutingRevision } from '../ability/routing-revision.js';
import { ChannelTransition, type TransitionCause, type TransitionEvidence } from './channel-transition.entity.js';
import type { Channel } from './channel.entity.js';

export type AuditEntry = EventOf<typeof adminAction>['data'];

export interface Move {
  to: number;
  cause: TransitionCause;
  /** Masked; shown to administrators beside the status. */
  reason: string;
  evidence?: TransitionEvidence;
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
    if (channel.status === move.to) return undefined;
    const at = new Date(this.clock.now());
    const { to, cause, reason, evidence = {}, actorId } = move;
    em.persist(
      em.create(ChannelTransition, {
        channelId: channel.id,
        fromStatus: channel.status,
        toStatus: to,
        cause,
        reason,
        evidence,
        actorId: actorId ?? null,
        happenedAt: at,
      }),
    );
    channel.moveTo(to, at, reason);
    if (to === ChannelStatus.enabled) channel.forgetEvidence(at);
    return { channel, move };
  }

  /** Abilities follow the rows, the revision grows, the events go out. The last thing a transaction does. */
  async publish(em: EntityManager, { channelIds, moved = [], audit }: Publication): Promise<void> {
    await em.flush();
    if (channelIds.length > 0) {
      await this.abilities.sync(em, channelIds);
      const revision = await nextRoutingRevision(em);
      for (const channelId of channelIds) await this.outbox.add(channelChanged, { channelId, revision });
    }
    for (const { channel, move } of moved) await this.tell(channel, move);
    if (audit) await this.outbox.add(adminAction, audit);
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
