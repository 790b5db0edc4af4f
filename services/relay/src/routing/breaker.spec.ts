import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Breaker, type Trial } from './breaker.js';

/** Without jitter. */
const breakerOf = (random = 0.5): Breaker => new Breaker(() => random);

const failing = (breaker: Breaker, times: number, now = 0): number[] =>
  Array.from({ length: times }, () => breaker.failed(now));

/** Begins the trial that is due, and lets it fail. */
function tryInVain(breaker: Breaker, now: number): number {
  const trial = breaker.begin(now);
  return trial ? breaker.failedAgain(now, trial) : -1;
}

describe('the breaker of a channel', () => {
  it('opens for five seconds at the fifth failure in a row', () => {
    const breaker = breakerOf();
    expect(failing(breaker, 4)).toEqual([0, 0, 0, 0]);
    expect([breaker.isOpen(0), breaker.failed(0)]).toEqual([false, 5000]);
    expect([breaker.isOpen(4999), breaker.isOpen(5000)]).toEqual([true, false]);
  });

  it('counts from the start again after a success', () => {
    const breaker = breakerOf();
    failing(breaker, 4);
    expect([breaker.succeeded(0), ...failing(breaker, 4)]).toEqual([false, 0, 0, 0, 0]);
    expect(breaker.isOpen(0)).toBe(false);
  });

  it('opens when half of the last twenty attempts failed, counted for thirty seconds', () => {
    const alternating = (stepMs: number): number => {
      const breaker = breakerOf();
      for (let turn = 1; turn <= 20; turn += 1) {
        if (breaker.failed(turn * stepMs) > 0) return turn;
        breaker.succeeded(turn * stepMs);
      }
      return Infinity;
    };
    // The eleventh failure is the twenty-first attempt.
    expect([alternating(0), alternating(1000), alternating(4000)]).toEqual([11, 11, Infinity]);
  });

  it('opens at once for as long as the upstream asks, up to a minute and without jitter', () => {
    for (const [stated, pause] of [
      [1, 1000],
      [30, 30_000],
      [3600, 60_000],
    ] as const)
      expect(breakerOf(0).failed(0, stated)).toBe(pause);
  });

  it('lets another call find out when a trial takes long', () => {
    const breaker = breakerOf();
    failing(breaker, 5);
    const slow = breaker.begin(5000);
    expect([breaker.isOpen(9999), breaker.isOpen(10_000)]).toEqual([true, false]);
    const next = breaker.begin(10_000);
    expect([next !== undefined && next !== slow, breaker.isOpen(10_000)]).toEqual([true, true]);
    if (slow) expect(breaker.failedAgain(10_001, slow)).toBe(0);
  });

  it('doubles the pause with each failed trial, up to a minute', () => {
    const breaker = breakerOf();
    failing(breaker, 5);
    const pauses = [5000];
    for (let now = 5000; pauses.length < 7; now += pauses.at(-1) ?? 0) pauses.push(tryInVain(breaker, now));
    expect(pauses).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it('waits a fifth less or more, so that not everything is tried again at once', () => {
    const pauses = [0, 0.5, 0.999].map((random) => Math.round(failing(breakerOf(random), 5).at(-1) ?? 0));
    expect(pauses).toEqual([4000, 5000, 5998]);
  });

  it('lets one attempt at a time through after the pause', () => {
    const breaker = breakerOf();
    failing(breaker, 5);
    expect(breaker.begin(4999)).toBeUndefined();
    const trial = breaker.begin(5000);
    expect([trial === undefined, breaker.begin(5000), breaker.isOpen(5000)]).toEqual([false, undefined, true]);
    breaker.end(trial ?? {});
    expect(breaker.isOpen(5000)).toBe(false);
    expect(breaker.begin(5000)).toBeDefined();
  });

  it('closes at the first success, and is calm then', () => {
    const breaker = breakerOf();
    failing(breaker, 5);
    breaker.begin(5000);
    expect([breaker.isCalm(5000), breaker.succeeded(5000), breaker.isOpen(5000)]).toEqual([false, true, false]);
    expect([breaker.isCalm(5000), breaker.isClosed]).toEqual([true, true]);
    expect(failing(breaker, 5, 5000)).toEqual([0, 0, 0, 0, 5000]);
  });

  it('is calm half a minute after its last failure', () => {
    const breaker = breakerOf();
    breaker.failed(0);
    breaker.succeeded(1);
    expect([breaker.isCalm(24_999), breaker.isCalm(30_000)]).toEqual([false, true]);
  });

  it('learns nothing from attempts that are not its trial while it is open', () => {
    const breaker = breakerOf();
    failing(breaker, 5);
    const late = breaker.begin(5000) ?? {};
    breaker.succeeded(5000);
    failing(breaker, 5, 5000);
    expect([breaker.failed(5000, 60), breaker.failedAgain(5000, late)]).toEqual([0, 0]);
    expect([breaker.isOpen(9999), breaker.isOpen(10_000)]).toEqual([true, false]);
    const trial = breaker.begin(10_000);
    breaker.end(late);
    expect([trial === undefined, breaker.isOpen(10_000)]).toEqual([false, true]);
  });
});

describe('whatever a channel does', () => {
  type Step = { kind: 'begin' | 'success' | 'failure' | 'nothing'; ms: number; retryAfter?: number | undefined };
  const anyStep: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('begin', 'success', 'failure', 'failure', 'failure', 'nothing'),
    ms: fc.constantFrom(0, 0, 1, 1000, 5000, 70_000),
    retryAfter: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined, freq: 10 }),
  });

  it('its breaker is closed after a success, open for a minute at most, and has one trial at a time', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 80 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (steps, draw) => {
          const breaker = new Breaker(() => draw);
          const running: (Trial | undefined)[] = [];
          let now = 0;
          for (const { kind, ms, retryAfter } of steps) {
            now += ms;
            const trial = kind === 'begin' ? breaker.begin(now) : running.shift();
            if (kind === 'begin') {
              // Another attempt begins at the same time, and at most one of both is the trial.
              expect([trial, breaker.begin(now)].filter(Boolean).length).toBeLessThanOrEqual(1);
              running.push(trial);
            }
            if (kind === 'success') {
              breaker.succeeded(now);
              expect([breaker.isClosed, breaker.isOpen(now)]).toEqual([true, false]);
            }
            if (kind === 'failure') {
              const pause = (trial && breaker.failedAgain(now, trial, retryAfter)) || breaker.failed(now, retryAfter);
              expect(pause).toBeLessThanOrEqual(60_000);
            }
            if (kind !== 'begin' && trial) breaker.end(trial);
            // Where no trial runs, one begins when the pause is over.
            if (!breaker.isClosed && running.every((one) => one === undefined))
              expect(breaker.isOpen(now + 60_000)).toBe(false);
          }
        },
      ),
    );
  });
});
