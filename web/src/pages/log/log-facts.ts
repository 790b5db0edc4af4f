import type { Log, LogOther } from '@tollgate/contracts/api/log';
import type { AppliedPrice, Usage } from '@tollgate/contracts/events/request-consumed';
import { LogType } from '@tollgate/contracts/roles';
import { HOUR_CACHE_FACTOR, rate } from '@tollgate/pricing';
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

/** Why the numbers of the upstream were not charged as they came; where they were cut, the row still goes by them. */
export function doubtOf({ usage_doubt: doubt, usage_source: source, ws }: LogOther): 'cut' | LogOther['usage_doubt'] {
  return doubt === 'implausible' && source === 'upstream' && !ws ? 'cut' : doubt;
}

export interface BillPart {
  kind: 'input' | 'cache' | 'creation' | 'creationHour' | 'image' | 'completion' | 'audioInput' | 'audioOutput';
  tokens: number;
  /** Ratio beside the model ratio. */
  ratio: number;
  /** USD per million tokens, before the group. */
  price: number;
}

/** `units` is what the arithmetic that charged the request makes of the row's numbers. */
export type Bill =
  | { kind: 'call'; price: number; group: number; total: number; units: number }
  | { kind: 'tokens'; parts: BillPart[]; modelRatio: number; group: number; total: number; units: number };

const MILLION = 1_000_000;
const hasAudio = ({ audio = false, ws = false }: LogOther): boolean => audio || ws;

function priceOf(other: LogOther, quotaPerUnit: number): AppliedPrice {
  const { audio_ratio: audioRatio = 1, audio_completion_ratio: audioCompletionRatio = 1 } = other;
  return {
    modelRatio: other.model_ratio ?? 0,
    completionRatio: other.completion_ratio ?? 0,
    groupRatio: other.group_ratio ?? 0,
    cacheRatio: other.cache_ratio ?? 0,
    cacheCreationRatio: other.cache_creation_ratio ?? 0,
    modelPrice: other.model_price ?? -1,
    quotaPerUnit,
    ...(other.image && { imageRatio: other.image_ratio ?? 1 }),
    ...(hasAudio(other) && { audioRatio, audioCompletionRatio }),
  };
}

/** The text beside audio, where the upstream told it. */
const textOf = (other: LogOther): number | undefined => (hasAudio(other) ? other.text_input : undefined);

/** A task has no tokens: what was asked for is one call, or nothing where it is free. */
const isTask = ({ prompt_tokens: input, completion_tokens: output, quota }: Log, { usage_source: source }: LogOther) =>
  source === 'requested' && input + output === 0 && quota > 0;

/** The row's counts include media, and cached tokens unless the upstream is Anthropic's; here each token stands once. */
function usageOf(log: Log, other: LogOther): Usage {
  const { claude = false, cache_tokens: cached = 0, cache_creation_tokens: created = 0 } = other;
  const { cache_creation_tokens_1h: hour = 0 } = other;
  const { image_output: images = 0, audio_input: spoken = 0, audio_output: answered = 0 } = other;
  const plain = log.prompt_tokens - images - spoken - (claude ? 0 : cached + created);
  return {
    semantics: claude ? 'anthropic' : 'openai',
    inputTokens: isTask(log, other) ? 1 : Math.max(0, textOf(other) ?? plain),
    cacheReadTokens: cached,
    cacheWriteTokens: created,
    cacheWriteHourTokens: hour,
    outputTokens: Math.max(0, log.completion_tokens - answered),
    imageInputTokens: images,
    audioInputTokens: spoken,
    audioOutputTokens: answered,
  };
}

function partsOf(usage: Usage, price: AppliedPrice): [BillPart['kind'], number, number][] {
  const audio = price.audioRatio ?? 1;
  const hour = usage.cacheWriteHourTokens ?? 0;
  return [
    ['input', usage.inputTokens, 1],
    ['cache', usage.cacheReadTokens, price.cacheRatio],
    ['creation', usage.cacheWriteTokens - hour, price.cacheCreationRatio],
    ['creationHour', hour, price.cacheCreationRatio * HOUR_CACHE_FACTOR],
    ['image', usage.imageInputTokens ?? 0, price.imageRatio ?? 1],
    ['completion', usage.outputTokens, price.completionRatio],
    ['audioInput', usage.audioInputTokens ?? 0, audio],
    ['audioOutput', usage.audioOutputTokens ?? 0, audio * (price.audioCompletionRatio ?? 1)],
  ];
}

/** The price of a request, line by line, from the numbers that rated it; undefined for rows that are no request. */
export function billOf(log: Log, other: LogOther, quotaPerUnit: number): Bill | undefined {
  if (log.type !== LogType.consume || other.group_ratio === undefined || !(quotaPerUnit > 0)) return undefined;
  const price = priceOf(other, quotaPerUnit);
  const usage = usageOf(log, other);
  const { modelPrice, modelRatio, groupRatio: group } = price;
  const units = rate(usage, price);
  const total = units / quotaPerUnit;
  if (modelPrice >= 0) return { kind: 'call', price: modelPrice, group, total, units };
  const parts = partsOf(usage, price)
    .filter(([kind, tokens]) => tokens > 0 || kind === 'input' || kind === 'completion')
    .map(([kind, tokens, ratio]): BillPart => ({
      kind,
      tokens,
      ratio,
      price: (ratio * modelRatio * MILLION) / quotaPerUnit,
    }));
  return { kind: 'tokens', parts, modelRatio, group, total, units };
}

/** At most six digits, without trailing zeros: floating tails are not money. */
export const money = (value: number): string => `$${Number(value.toFixed(6))}`;
export const exactMoney = (value: number): string => `$${value.toFixed(6)}`;
export const plain = (value: number): string => String(Number(value.toFixed(6)));

/** Whole numbers in groups of three, in either language. */
export const formatCount = (value: number): string => new Intl.NumberFormat('en-US').format(value);
