import { Clock } from '@tollgate/chassis';

/** A clock that stands still until it is set. */
export class HandClock extends Clock {
  at = 0;

  override monotonic(): number {
    return this.at;
  }
}

/** A clock on which each look takes a second. */
export class SecondsClock extends Clock {
  at = 0;

  override monotonic(): number {
    this.at += 1000;
    return this.at;
  }
}
