import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { Clock, Logger, storableText } from '@tollgate/chassis';
import { ChannelChanges, type Move } from '../channel/channel-changes.js';
import { awayByItself, type ChannelKey, ChannelKeys } from '../channel/channel-keys.js';
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
      if (found.to !== ChannelStatus.autoDisabled) return this.move(em, channel, found);
      const plan = this.planFor(channel, found, keyId);
      if (!plan) return 'ignored';
      const { move, failed } = plan;
      // The brake first: what it keeps on is not touched.
      const isHeld = move
        ? await this.isHeld(em, channel, move)
        : failed !== undefined && (await this.isKeyHeld(em, channel, found, failed));
      if (isHeld) return 'held';
      if (failed) this.setAside(em, channel, found, failed);
      if (move) return this.move(em, channel, move);
      await this.changes.publish(em, { channelIds: [channelId] });
      return 'moved';
    }, FRESH);
    return applied;
  }

  private async move(em: EntityManager, channel: Channel, move: Move): Promise<Applied> {
    const moved = this.changes.move(em, channel, move);
    if (!moved) return 'ignored';
    await this.changes.publish(em, { channelIds: [channel.id], moved: [moved] });
    if (move.to === ChannelStatus.autoDisabled) this.metrics.count('disabled');
    return 'moved';
  }

  /** What is to be done: one of several keys is set aside, the channel goes off, or with its last key both. */
  private planFor(
    channel: Channel,
    move: Move,
    keyId: string | undefined,
  ): { move?: Move; failed?: ChannelKey } | undefined {
    if (channel.keyMode === '' || keyId === undefined) return { move };
    const all = this.keys.all(channel);
    const failed = this.keys.named(all, keyId);
    const hasOthers = all.some((one) => one !== failed && !one.away);
    // It was replaced or set aside meanwhile: what is said of it says nothing of the others.
    if (!failed || failed.away) return hasOthers ? undefined : { move };
    return hasOthers ? { failed } : { failed, move: { ...move, reason: `${ALL_AWAY}: ${move.reason}` } };
  }

  private setAside(em: EntityManager, channel: Channel, move: Move, { id }: ChannelKey): void {
    const away = awayByItself(storableText(move.reason), this.clock.now());
    channel.keyStates = { ...channel.keyStates, [id]: away };
    this.changes.note(em, channel, 'key-away', move);
  }

  /** A provider that refuses everybody for a while must not take all keys, one after another. */
  private async isKeyHeld(em: EntityManager, channel: Channel, move: Move, { id }: ChannelKey): Promise<boolean> {
    const now = this.clock.now();
    const since = new Date(now - BRAKE_WINDOW_MS);
    const all = this.keys.all(channel);
    const wentLately = ({ away }: ChannelKey): boolean =>
      away?.status === ChannelStatus.autoDisabled && away.at * 1000 > since.getTime();
    const keys = { enabled: all.filter(({ away }) => !away).length, taken: all.filter(wentLately).length };
    if (!mustHold({ ...keys, isLastOfItsKind: false })) return false;
    this.metrics.count('held');
    this.logger.warn('too many keys of a channel would be set aside at once: one stays in use against the evidence', {
      ...{ channelId: channel.id, reason: move.reason },
      ...keys,
    });
    const [told] = await em.execute<unknown[]>(
      `select 1 from "channel_transition" where "channel_id" = ? and "outcome" = 'held' and "happened_at" > ? and "evidence"->>'keyId' = ? limit 1`,
      [channel.id, since, id],
    );
    if (!told) this.changes.note(em, channel, 'held', { ...move, evidence: { ...move.evidence, keyId: id } });
    return true;
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
