import type { HealthHour, HealthStep, HealthTest } from '@tollgate/contracts/api/channel-health';
import type { StatusKey } from '../../../components/texts/status-chip.js';
import { statusKeyOf } from '../channel-facts.js';

const HOUR = 3600;

export type HealthLine =
  | { kind: 'step'; key: string; at: number; step: HealthStep }
  /** `count` consecutive tests with the same result. */
  | { kind: 'test'; key: string; at: number; test: HealthTest; count: number };

const isAlike = (one: HealthTest, other: HealthTest): boolean =>
  one.success === other.success && one.model === other.model && one.message === other.message;

/** Merges steps and tests into one list, newest first; equal tests without a step between them become one line. */
export function linesOf(steps: readonly HealthStep[], tests: readonly HealthTest[]): HealthLine[] {
  const all: HealthLine[] = [
    ...steps.map((step): HealthLine => ({ kind: 'step', key: `s${step.id}`, at: step.at, step })),
    ...tests.map((test): HealthLine => ({ kind: 'test', key: `t${test.id}`, at: test.at, test, count: 1 })),
  ].sort((one, other) => other.at - one.at);
  const folded: HealthLine[] = [];
  for (const line of all) {
    const last = folded.at(-1);
    if (line.kind === 'test' && last?.kind === 'test' && isAlike(line.test, last.test)) last.count += 1;
    else folded.push(line);
  }
  return folded;
}

/** The state of the channel after this step. */
export function lookOf({ outcome, to_status: to }: HealthStep): StatusKey {
  return outcome === 'held' ? 'suspect' : statusKeyOf(to);
}

const sentences = ['manual_1', 'manual_2', 'request_3', 'test_3', 'test_1', 'balance_3'] as const;
type Sentence = (typeof sentences)[number] | 'cleared' | 'unproven' | 'held' | 'key-away' | 'key-back' | 'other';

/** The key of the text that describes the step. */
export function sentenceOf({ outcome, cause, to_status: to }: HealthStep): Sentence {
  if (outcome !== 'moved') return outcome;
  return sentences.find((sentence) => sentence === `${cause}_${to}`) ?? 'other';
}

/** One entry for every hour of the span, with zeros for hours without a request. */
export function everyHour(hours: readonly HealthHour[], from: number, to: number): HealthHour[] {
  const known = new Map(hours.map((hour) => [hour.hour, hour]));
  const count = Math.floor((to - from) / HOUR) + 1;
  return Array.from({ length: count }, (_, index) => {
    const hour = from + index * HOUR;
    return known.get(hour) ?? { hour, requests: 0, failures: 0 };
  });
}

interface HealthTotals {
  requests: number;
  failures: number;
  /** Per cent, with one decimal. */
  rate: string;
}

export function totalsOf(hours: readonly HealthHour[]): HealthTotals {
  const requests = hours.reduce((sum, hour) => sum + hour.requests, 0);
  const failures = hours.reduce((sum, hour) => sum + hour.failures, 0);
  return { requests, failures, rate: requests === 0 ? '0.0' : ((failures / requests) * 100).toFixed(1) };
}

export const secondsText = (ms: number): string => (ms / 1000).toFixed(2);
