import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { LogType } from '@tollgate/contracts/roles';
import type { TagColor } from '../../app/palette.js';

export function otherOf({ other }: Log): LogOther {
  try {
    const value: unknown = JSON.parse(other || '{}');
    return typeof value === 'object' && value !== null ? (value as LogOther) : {};
  } catch {
    return {};
  }
}

export const typeColors: Record<number, TagColor> = {
  [LogType.topUp]: 'cyan',
  [LogType.consume]: 'lime',
  [LogType.manage]: 'orange',
  [LogType.system]: 'purple',
  [LogType.error]: 'red',
  [LogType.refund]: 'teal',
};
export const knownTypes = [LogType.topUp, LogType.consume, LogType.manage, LogType.system, LogType.error];
export const isRequest = ({ type }: Log): boolean => type === LogType.consume || type === LogType.error;

/** Seconds → colour of the spec. */
export const durationColor = (seconds: number): TagColor =>
  seconds < 101 ? 'green' : seconds < 300 ? 'orange' : 'red';
export const firstTokenColor = (seconds: number): TagColor => (seconds < 3 ? 'green' : seconds < 10 ? 'orange' : 'red');

/** Seconds to the first token; undefined when there was none. */
export const firstTokenOf = ({ frt }: LogOther): number | undefined =>
  frt !== undefined && frt > 0 ? frt / 1000 : undefined;

export interface BillPart {
  kind: 'input' | 'cache' | 'creation' | 'completion' | 'audioInput' | 'audioOutput';
  tokens: number;
  /** Ratio beside the model ratio. */
  ratio: number;
  /** USD per million tokens, before the group. */
  price: number;
}

export type Bill =
  | { kind: 'call'; price: number; group: number; total: number }
  | { kind: 'tokens'; parts: BillPart[]; modelRatio: number; group: number; total: number; units: number };

const MILLION = 1_000_000;

type Parts = [kind: BillPart['kind'], tokens: number, ratio: number][];

const zeroed = (other: LogOther) => ({
  completion: other.completion_ratio ?? 0,
  cached: other.cache_tokens ?? 0,
  cacheRatio: other.cache_ratio ?? 0,
  created: other.cache_creation_tokens ?? 0,
  creationRatio: other.cache_creation_ratio ?? 0,
});

function audioParts(other: LogOther): Parts {
  const audio = other.audio_ratio ?? 0;
  return [
    ['input', other.text_input ?? 0, 1],
    ['completion', other.text_output ?? 0, other.completion_ratio ?? 0],
    ['audioInput', other.audio_input ?? 0, audio],
    ['audioOutput', other.audio_output ?? 0, audio * (other.audio_completion_ratio ?? 1)],
  ];
}

function partsOf(log: Log, other: LogOther): Parts {
  if (other.audio || other.ws) return audioParts(other);
  const { completion, cached, cacheRatio, created, creationRatio } = zeroed(other);
  // Anthropic's prompt count leaves cached tokens out, OpenAI's has them in.
  const fresh = other.claude ? log.prompt_tokens : Math.max(0, log.prompt_tokens - cached - created);
  return [
    ['input', fresh, 1],
    ['cache', cached, cacheRatio],
    ['creation', created, creationRatio],
    ['completion', log.completion_tokens, completion],
  ];
}

/** The price of a request, line by line, from the numbers that rated it; undefined for rows that are no request. */
export function billOf(log: Log, other: LogOther, quotaPerUnit: number): Bill | undefined {
  if (log.type !== LogType.consume || other.group_ratio === undefined || !(quotaPerUnit > 0)) return undefined;
  const group = other.group_ratio;
  const { model_price: callPrice = -1, model_ratio: modelRatio = 0 } = other;
  if (callPrice >= 0) return { kind: 'call', price: callPrice, group, total: callPrice * group };
  const parts = partsOf(log, other)
    .filter(([kind, tokens]) => tokens > 0 || kind === 'input' || kind === 'completion')
    .map(([kind, tokens, ratio]): BillPart => ({
      kind,
      tokens,
      ratio,
      price: (ratio * modelRatio * MILLION) / quotaPerUnit,
    }));
  const units = parts.reduce((sum, { tokens, ratio }) => sum + tokens * ratio, 0) * modelRatio * group;
  return { kind: 'tokens', parts, modelRatio, group, total: units / quotaPerUnit, units };
}

/** At most six digits, without trailing zeros: floating tails are not money. */
export const money = (value: number): string => `$${Number(value.toFixed(6))}`;
export const exactMoney = (value: number): string => `$${value.toFixed(6)}`;
export const plain = (value: number): string => String(Number(value.toFixed(6)));
