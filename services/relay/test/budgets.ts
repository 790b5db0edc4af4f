import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { Clock, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { Budget } from '../src/budget/budget.js';
import type { HoldRequest } from '../src/budget/hold.js';
import type { Billing } from './billing-double.js';
import { TurningClock, turningTimers } from './turning-clock.js';

/** A clock that follows the turning time, and can be put forward as if the relay had been cut off meanwhile. */
export class LeapingClock extends Clock {
  away = 0;
  override monotonic(): number {
    return elapsed() + this.away;
  }
}

const noSpool = { noteEpoch: () => undefined, endEpoch: () => undefined };
const silent = { subscribe: () => Promise.resolve(() => Promise.resolve()) };
/** The lifecycles that end after each test. */
const lifecycles: Lifecycle[] = [];

interface Surroundings {
  clock?: Clock;
  keyValue?: ConstructorParameters<typeof Budget>[4];
  lifecycle?: Lifecycle;
  metrics?: Metrics;
  overdraft?: 'bounded' | 'never';
  /** Called with each epoch that the spool is to note. */
  noteEpoch?: (epoch: string) => void;
  /** Called with each epoch that is over for the spool. */
  endEpoch?: (epoch: string) => void;
  /** The past epochs whose records the spool has sent. */
  finished?: Set<string>;
}

export function budgetOver(billing: Billing, around: Surroundings = {}): Budget {
  const { clock = time ?? new Clock(), keyValue = silent, lifecycle = new Lifecycle(), overdraft = 'bounded' } = around;
  const { metrics = new Metrics('relay'), noteEpoch = noSpool.noteEpoch, endEpoch = noSpool.endEpoch } = around;
  const { finished = new Set<string>() } = around;
  const finishedEpochs = (): string[] => [...finished];
  const forgetEpochs = (epochs: readonly string[]): void => epochs.forEach((epoch) => finished.delete(epoch));
  if (!around.lifecycle) lifecycles.push(lifecycle);
  const host = { env: { TOLLGATE_OVERDRAFT: overdraft } };
  return new Budget(
    billing,
    clock,
    Logger.root('silent'),
    { noteEpoch, endEpoch, finishedEpochs, forgetEpochs },
    keyValue,
    lifecycle,
    metrics,
    host,
  );
}

/** A budget that hears recalls of billing; `recall('wallet:1')` does what its broadcast does. */
export async function recallableBudget(
  billing: Billing,
  around: Surroundings = {},
): Promise<{ budget: Budget; recall: (account: string) => void }> {
  let recall: (account: string) => void = () => undefined;
  const subscribe = (_: string, listener: (account: string) => void): Promise<() => Promise<void>> => {
    recall = listener;
    return Promise.resolve(() => Promise.resolve());
  };
  const lifecycle = new Lifecycle();
  lifecycles.push(lifecycle);
  const budget = budgetOver(billing, { ...around, keyValue: { subscribe }, lifecycle });
  await lifecycle.ready();
  return { budget, recall };
}

async function drainBudgets(): Promise<void> {
  for (const lifecycle of lifecycles.splice(0)) await lifecycle.drain();
}

let time: TurningClock | undefined;

/** Makes time pass with the turns of the event loop in the tests of the calling `describe`, for all budgets and their timers. */
export function useTurningTime(): void {
  beforeAll(turningTimers);
  beforeEach(() => void (time = new TurningClock()));
  afterEach(async () => {
    await drainBudgets();
    time?.stop();
    time = undefined;
  });
  afterAll(() => void jest.useRealTimers());
}

const turning = (): TurningClock => {
  if (!time) throw new Error('time does not turn here: call useTurningTime');
  return time;
};
/** Milliseconds since the test began, by the turning time. */
export const elapsed = (): number => turning().monotonic();
/** Lets this much of the turning time pass, in milliseconds. */
export const elapse = (ms: number): Promise<void> => turning().pass(ms);

export const shape = { userId: 1, model: 'm', promptBytes: 100, maxTokens: 10, price: 'v1/default' };
export const request = (amount: number, tokenId = 0): HoldRequest => ({
  ...{ userId: 1, tokenId, least: amount, most: amount, shape },
  ...{ costOf: (tokens: number) => tokens, fewestTokens: 1 },
});
