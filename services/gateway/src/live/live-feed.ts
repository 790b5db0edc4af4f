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

/** Receives what the feed reports: the open streams. */
interface Audience {
  receive(change: Change): void;
  /** The session or the role of this user may have changed. */
  recheck(userId: number): void;
  /** Broadcasts are being lost from now on, so streams may miss changes. */
  broadcastsLost(): void;
}

const CHANNELS = [channelChanged, channelDisabled, channelEnabled].map(({ name }) => name);
const MOVEMENTS = [quotaAdjusted, quotaGranted, redemptionRedeemed, topUpCompleted, topUpRefunded];
const BALANCES = [...MOVEMENTS.map(({ name }) => name), broadcasts.balanceBooked];

/** Changes may be broadcast this much later than they happened, so a client's gap is taken to begin earlier. */
const MARGIN_MS = 1000;

const idsOf = (message: string): number[] => message.split(',').map(Number).filter(Number.isSafeInteger);

/**
 * Derives what consoles should fetch again from the broadcasts about changes in any process. Every replica receives all
 * broadcasts, so a console may be connected to any of them.
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

  /** False while broadcasts are being lost, since a stream would then miss changes without anybody noticing. */
  get isWhole(): boolean {
    return !this.losing && this.lifecycle.accepting;
  }

  /** The kinds that a listener who was disconnected for `ms` has to fetch again. */
  missedIn(ms: number, listener: Listener): LiveKind[] {
    return ms === 0 ? [] : this.recent.after(this.clock.monotonic() - ms - MARGIN_MS, listener);
  }

  private async start(): Promise<void> {
    this.lifecycle.onDrain(this.keyValue.onLoss((isLosing) => this.note(isLosing)));
    await this.listen([broadcasts.statusChanged], () => this.receive({ kind: 'status' }));
    await this.listen(CHANNELS, () => this.receive({ kind: 'channels' }));
    await this.listen([broadcasts.usageLogged], (message) => {
      this.receive({ kind: 'usage' });
      for (const userId of idsOf(message)) this.receive({ kind: 'usage', userId });
    });
    await this.listen([...BALANCES, userChanged.name], (message) => {
      for (const userId of idsOf(message)) this.receive({ kind: 'user', userId });
    });
    await this.listen([userChanged.name, broadcasts.sessionEnded], (message) =>
      this.audience?.recheck(Number(message)),
    );
    // All subscriptions are active now, so nothing is missed from here on.
    this.recent.forget(this.clock.monotonic());
  }

  private async listen(topics: readonly string[], listener: (message: string) => void): Promise<void> {
    for (const topic of topics)
      this.lifecycle.onDrain(await this.keyValue.subscribe(broadcastChannel(topic), listener));
  }

  private receive(change: Change): void {
    this.recent.note(change, this.clock.monotonic());
    this.audience?.receive(change);
  }

  private note(isLosing: boolean): void {
    this.losing = isLosing;
    this.recent.forget(this.clock.monotonic());
    if (isLosing) this.audience?.broadcastsLost();
  }
}
