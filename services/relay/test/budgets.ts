import { Clock, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { Budget } from '../src/budget/budget.js';
import type { HoldRequest } from '../src/budget/hold.js';
import type { Billing } from './billing-double.js';

const noSpool = { noteEpoch: () => undefined, finishedEpochs: () => [], forgetEpochs: () => undefined };
const silent = { subscribe: () => Promise.resolve(() => Promise.resolve()) };
/** The lifecycles that `drainBudgets` ends. */
export const lifecycles: Lifecycle[] = [];

interface Surroundings {
  clock?: Clock;
  keyValue?: ConstructorParameters<typeof Budget>[4];
  lifecycle?: Lifecycle;
  metrics?: Metrics;
  overdraft?: 'bounded' | 'never';
}

export function budgetOver(billing: Billing, around: Surroundings = {}): Budget {
  const { clock = new Clock(), keyValue = silent, lifecycle = new Lifecycle(), overdraft = 'bounded' } = around;
  const { metrics = new Metrics('relay') } = around;
  if (!around.lifecycle) lifecycles.push(lifecycle);
  const host = { env: { TOLLGATE_OVERDRAFT: overdraft } };
  return new Budget(billing, clock, Logger.root('silent'), noSpool, keyValue, lifecycle, metrics, host);
}

/** Call this after each test. */
export async function drainBudgets(): Promise<void> {
  for (const lifecycle of lifecycles.splice(0)) await lifecycle.drain();
}

export const shape = { userId: 1, model: 'm', promptBytes: 100, maxTokens: 10, price: 'v1/default' };
export const request = (amount: number, tokenId = 0): HoldRequest => ({
  ...{ userId: 1, tokenId, least: amount, most: amount, shape },
  ...{ costOf: (tokens: number) => tokens, fewestTokens: 1 },
});
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
