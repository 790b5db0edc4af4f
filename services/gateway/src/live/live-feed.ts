import { Injectable } from '@nestjs/common';
import {
  broadcasts,
  channelChanged,
  channelDisabled,
  channelEnabled,
  quotaAdjusted,
  quotaGranted,
  redemptionRedeemed,
  topUpCompleted,
  topUpRefunded,
  userChanged,
} from '@tollgate/contracts';
import type { LiveKind } from '@tollgate/contracts/api/live';
import { Clock, KeyValue, Lifecycle, broadcastChannel } from '@tollgate/chassis';
import { type Change, type Listener, RecentChanges } from './recent-changes.js';

/** Who is told what the feed hears: the open streams. */
interface Audience {
  hear(change: Change): void;
  /** Rights or session of a user may have ended. */
  doubt(userId: number): void;
  /** Broadcasts are lost from here on, so nobody knows what is missed. */
  lose(): void;
}

const CHANNELS = [channelChanged, channelDisabled, channelEnabled].map(({ name }) => name);
const MOVEMENTS = [quotaAdjusted, quotaGranted, redemptionRedeemed, topUpCompleted, topUpRefunded];
const BALANCES = [...MOVEMENTS.map(({ name }) => name), broadcasts.balanceBooked];

/** A broadcast that travels takes a moment, so what is missed began a little earlier. */
const MARGIN_MS = 1000;

const idsOf = (message: string): number[] => message.split(',').map(Number).filter(Number.isSafeInteger);

/**
 * What consoles should look at again, from the broadcasts that follow changes in any process. All replicas hear all of them, so it
 * does not matter which one a console is connected to.
 */
@Injectable()
export class LiveFeed {
  private readonly recent: RecentChanges;
  private audience: Audience | undefined;
  private losing = false;

  constructor(
    private readonly keyValue: KeyValue,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
  ) {
    this.recent = new RecentChanges(clock.monotonic());
    lifecycle.onReady(() => this.start());
  }

  attach(audience: Audience): void {
    this.audience = audience;
  }

  /** False while broadcasts are lost: a stream would be silent and nobody could tell why. */
  get isWhole(): boolean {
    return !this.losing && this.lifecycle.accepting;
  }

  /** What a listener should ask for who has heard nothing for `ms`. */
  missedIn(ms: number, listener: Listener): LiveKind[] {
    return ms === 0 ? [] : this.recent.after(this.clock.monotonic() - ms - MARGIN_MS, listener);
  }

  private async start(): Promise<void> {
    this.lifecycle.onDrain(this.keyValue.onLoss((isLosing) => this.note(isLosing)));
    await this.listen([broadcasts.statusChanged], () => this.hear({ kind: 'status' }));
    await this.listen(CHANNELS, () => this.hear({ kind: 'channels' }));
    await this.listen([broadcasts.usageLogged], (message) => {
      this.hear({ kind: 'usage' });
      for (const userId of idsOf(message)) this.hear({ kind: 'usage', userId });
    });
    await this.listen([...BALANCES, userChanged.name], (message) => {
      for (const userId of idsOf(message)) this.hear({ kind: 'user', userId });
    });
    await this.listen([userChanged.name, broadcasts.sessionEnded], (message) => this.audience?.doubt(Number(message)));
    // From here on nothing is missed.
    this.recent.forget(this.clock.monotonic());
  }

  private async listen(topics: readonly string[], listener: (message: string) => void): Promise<void> {
    for (const topic of topics)
      this.lifecycle.onDrain(await this.keyValue.subscribe(broadcastChannel(topic), listener));
  }

  private hear(change: Change): void {
    this.recent.note(change, this.clock.monotonic());
    this.audience?.hear(change);
  }

  private note(isLosing: boolean): void {
    this.losing = isLosing;
    this.recent.forget(this.clock.monotonic());
    if (isLosing) this.audience?.lose();
  }
}
