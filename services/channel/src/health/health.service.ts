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

/** The reference's message. */
const ALL_AWAY = 'All keys are disabled';

/** `held`: the brake kept the channel enabled. `ignored`: there was nothing to decide. */
type Applied = 'moved' | 'held' | 'ignored';

/**
 * Status changes that the system makes automatically. Every automatic disabling goes through this class and its brake.
 */
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
   * Calls `decide` with the current channel, while its row is locked. Does nothing when the channel is gone or has got
   * a new key or address since `observedAt`. If `keyId` names one of several keys, only that key is set aside; the
   * channel is disabled with the last of them.
   */
  async apply(
    channelId: number,
    observedAt: Date,
    decide: (channel: Channel) => Move | undefined,
    keyId?: string,
  ): Promise<Applied> {
    const applied = await this.em.transactional(async (em) => {
      const [channel] = await lockChannels(em, { id: channelId });
      if (!channel?.admitEvidence(observedAt, new Date(this.clock.now()))) return 'ignored';
      const found = decide(channel);
      if (!found || found.to === channel.status) return 'ignored';
      if (found.to !== ChannelStatus.autoDisabled) return this.move(em, channel, found);
      const plan = this.planFor(channel, found, keyId);
      if (!plan) return 'ignored';
      const { move, failed } = plan;
      // The brake comes first: what it holds is not changed.
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

  /** What to do: set one of several keys aside, disable the channel, or both for its last key. */
  private planFor(
    channel: Channel,
    move: Move,
    keyId: string | undefined,
  ): { move?: Move; failed?: ChannelKey } | undefined {
    if (channel.keyMode === '' || keyId === undefined) return { move };
    const all = this.keys.all(channel);
    const failed = this.keys.named(all, keyId);
    const hasOthers = all.some((one) => one !== failed && !one.away);
    // The key was replaced or set aside meanwhile. The evidence about it does not concern the other keys.
    if (!failed || failed.away) return hasOthers ? undefined : { move };
    return hasOthers ? { failed } : { failed, move: { ...move, reason: `${ALL_AWAY}: ${move.reason}` } };
  }

  private setAside(em: EntityManager, channel: Channel, move: Move, { id }: ChannelKey): void {
    const away = awayByItself(storableText(move.reason), this.clock.now());
    channel.keyStates = { ...channel.keyStates, [id]: away };
    this.changes.note(em, channel, 'key-away', move);
  }

  /** Keeps a provider that refuses everybody for a while from costing a channel all of its keys, one after another. */
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
    const [noted] = await em.execute<unknown[]>(
      `select 1 from "channel_transition" where "channel_id" = ? and "outcome" = 'held' and "happened_at" > ? and "evidence"->>'keyId' = ? limit 1`,
      [channel.id, since, id],
    );
    if (!noted) this.changes.note(em, channel, 'held', { ...move, evidence: { ...move.evidence, keyId: id } });
    return true;
  }

  /** Adds one row per window to the timeline, however often the channel is held. */
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
    const noted = await em.count(ChannelTransition, { channelId: channel.id, outcome: 'held', happenedAt: since });
    if (noted > 0) return true;
    this.changes.note(em, channel, 'held', move);
    channel.keepOn(new Date(now), storableText(move.reason));
    await this.changes.publish(em, { channelIds: [channel.id] });
    return true;
  }
}
