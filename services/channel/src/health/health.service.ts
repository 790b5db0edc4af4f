import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { Clock, Logger, storableText } from '@tollgate/chassis';
import { ChannelChanges, type Move } from '../channel/channel-changes.js';
import { ChannelKeys } from '../channel/channel-keys.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import { ChannelTransition } from '../channel/channel-transition.entity.js';
import type { Channel } from '../channel/channel.entity.js';
import { HealthMetrics } from './health-metrics.js';
import { BRAKE_WINDOW_MS, fleetState, mustHold } from './mass-disable-brake.js';

/** As the reference words it. */
const ALL_AWAY = 'All keys are disabled';

/** Held: the brake kept the channel on. Ignored: there was nothing to decide about. */
export type Applied = 'moved' | 'held' | 'ignored';

/** Status changes that the system makes by itself. Every way to an automatic disable leads through here, and past the brake. */
@Injectable()
export class HealthService {
  constructor(
    private readonly em: EntityManager,
    private readonly changes: ChannelChanges,
    private readonly keys: ChannelKeys,
    private readonly clock: Clock,
    private readonly metrics: HealthMetrics,
    private readonly logger: Logger,
  ) {}

  /**
   * Lets `decide` judge the channel as it is now, under its lock. What was observed before the channel was last mended is
   * dropped, and so is everything about a channel that is gone. Where `keyId` names one of several keys, that one is set aside, and the
   * channel goes off with the last of them.
   */
  async apply(
    channelId: number,
    observedAt: Date,
    decide: (channel: Channel) => Move | undefined,
    keyId?: string,
  ): Promise<Applied> {
    const applied = await this.em.transactional(async (em) => {
      const [channel] = await lockChannels(em, { id: channelId });
      if (!channel?.acceptsEvidenceFrom(observedAt)) return 'ignored';
      const found = decide(channel);
      if (!found || found.to === channel.status) return 'ignored';
      const move = found.to === ChannelStatus.autoDisabled ? this.setAside(em, channel, found, keyId) : found;
      if (!move) return this.published(em, channelId);
      if (move.to === ChannelStatus.autoDisabled && (await this.isHeld(em, channel, move))) return 'held';
      const moved = this.changes.move(em, channel, move);
      if (!moved) return 'ignored';
      await this.changes.publish(em, { channelIds: [channelId], moved: [moved] });
      if (move.to === ChannelStatus.autoDisabled) this.metrics.count('disabled');
      return 'moved';
    }, FRESH);
    return applied;
  }

  /** What is left to do with the channel when one of its keys is set aside: nothing while others go on. */
  private setAside(em: EntityManager, channel: Channel, move: Move, keyId: string | undefined): Move | undefined {
    if (channel.keyMode === '') return move;
    const all = this.keys.all(channel);
    const failed = keyId === undefined ? undefined : this.keys.named(all, keyId);
    // It was replaced or set aside meanwhile: what is said of it says nothing of the others.
    if (keyId !== undefined && (!failed || failed.away)) return all.some(({ away }) => !away) ? undefined : move;
    if (!failed) return move;
    const at = Math.floor(this.clock.now() / 1000);
    const reason = storableText(move.reason);
    channel.keyStates = { ...channel.keyStates, [failed.id]: { status: ChannelStatus.autoDisabled, reason, at } };
    this.changes.note(em, channel, 'key-away', move);
    const others = all.filter(({ id, away }) => id !== failed.id && !away);
    return others.length > 0 ? undefined : { ...move, reason: `${ALL_AWAY}: ${move.reason}` };
  }

  private async published(em: EntityManager, channelId: number): Promise<Applied> {
    await this.changes.publish(em, { channelIds: [channelId] });
    return 'moved';
  }

  /** The timeline says so once in a window, however often it is tried. */
  private async isHeld(em: EntityManager, channel: Channel, move: Move): Promise<boolean> {
    const now = this.clock.now();
    const fleet = await fleetState(em, channel.id, now);
    if (!mustHold(fleet)) return false;
    this.metrics.count('held');
    this.logger.warn(
      'too many channels would go off at once: a channel stays on although there is evidence against it',
      {
        channelId: channel.id,
        reason: move.reason,
        ...fleet,
      },
    );
    const since = { $gt: new Date(now - BRAKE_WINDOW_MS) };
    const told = await em.count(ChannelTransition, { channelId: channel.id, outcome: 'held', happenedAt: since });
    if (told > 0) return true;
    this.changes.note(em, channel, 'held', move);
    channel.keepOn(new Date(now), storableText(move.reason));
    await this.changes.publish(em, { channelIds: [channel.id] });
    return true;
  }
}
