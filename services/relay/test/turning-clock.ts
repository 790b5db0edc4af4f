import { jest } from '@jest/globals';
import { Clock } from '@tollgate/chassis';

/** Duration of a turn of the event loop, in milliseconds: two seconds of waiting are four hundred turns. */
const TURN_MS = 5;

/** Jest's fake timers for this clock; the event loop stays real, because the clock measures time by it. */
export const turningTimers = (): void =>
  void jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });

/** A clock that advances with the event loop instead of real time. It also advances jest's fake timers. */
export class TurningClock extends Clock {
  private at = 0;
  private isOver = false;

  constructor() {
    super();
    setImmediate(this.turn);
  }

  override monotonic(): number {
    return this.at;
  }

  /** Resolves after this many milliseconds by this clock, and after at least one turn. */
  async pass(ms: number): Promise<void> {
    const until = this.at + ms;
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.at < until);
  }

  stop(): void {
    this.isOver = true;
  }

  private readonly turn = (): void => {
    if (this.isOver) return;
    this.at += TURN_MS;
    jest.advanceTimersByTime(TURN_MS);
    setImmediate(this.turn);
  };
}
