import type { Log, LogOther } from '@tollgate/contracts/api/log';
import type { AppliedPrice, Searches, Usage } from '@tollgate/contracts/events/request-consumed';
import { LogType } from '@tollgate/contracts/roles';
import { priceFor, rate, type RatingKind, ratingOf } from '@tollgate/pricing';
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

/** The colour for a duration in seconds, as specified. */
export const durationColor = (seconds: number): TagColor =>
  seconds < 101 ? 'green' : seconds < 300 ? 'orange' : 'red';
export const firstTokenColor = (seconds: number): TagColor => (seconds < 3 ? 'green' : seconds < 10 ? 'orange' : 'red');

/** Seconds to the first token; `undefined` when none was recorded. */
export const firstTokenOf = ({ frt }: LogOther): number | undefined =>
  frt !== undefined && frt > 0 ? frt / 1000 : undefined;

/**
 * Why the upstream's token counts were not charged as reported. `cut`: the implausible counts were reduced, and the
 * row's numbers are the reduced counts.
 */
export function doubtOf({ usage_doubt: doubt, usage_source: source, ws }: LogOther): 'cut' | LogOther['usage_doubt'] {
  return doubt === 'implausible' && source === 'upstream' && !ws ? 'cut' : doubt;
}

/** One term of a bill. */
export interface BillLine {
  kind: RatingKind;
  count: number;
  /** The ratio in addition to the model ratio; 1 for what is charged per call. */
  ratio: number;
  /** USD before the group ratio: per million tokens, or per unit for what is not counted in tokens. */
  price: number;
}

/** `units` is recomputed from the numbers of the row by the same arithmetic that charged the request. */
export interface Bill {
  lines: BillLine[];
  modelRatio: number;
  /** USD per million uncached prompt tokens, before the group ratio. */
  base: number;
  group: number;
  total: number;
  units: number;
}

const MILLION = 1_000_000;
const hasAudio = ({ audio = false, ws = false }: LogOther): boolean => audio || ws;

const noTables = {
  id: '',
  ...{ modelPrice: {}, modelRatio: {}, completionRatio: {}, cacheRatio: {}, imageRatio: {}, groupRatio: {} },
  quotaPerUnit: 1,
};
/**
 * Whether high quality pictures cost more. That depends on the model only, so it is looked up without price tables; log
 * rows do not contain it.
 */
const hdOf = (model: string) => priceFor(model, '', noTables, { acceptUnset: true })?.hdPictures;

/** The prices of searches per thousand, as recorded in the row. Their count is in `searchesOf`. */
function searchPrices({ web_search_price: web = 0, file_search_price: fileSearch = 0 }: LogOther) {
  return { webSearch: { low: web, medium: web, high: web }, googleSearch: web, fileSearch };
}
function searchesOf(other: LogOther): Searches {
  const { web_search_call_count: web = 0, file_search_call_count: file = 0, google_search: byGoogle = false } = other;
  return { ...(byGoogle ? { google: web } : { web }), file };
}

function priceOf(model: string, other: LogOther, quotaPerUnit: number): AppliedPrice {
  const { audio_ratio: audioRatio = 1, audio_completion_ratio: audioCompletionRatio = 1 } = other;
  return {
    modelRatio: other.model_ratio ?? 0,
    completionRatio: other.completion_ratio ?? 0,
    groupRatio: other.group_ratio ?? 0,
    cacheRatio: other.cache_ratio ?? 0,
    cacheCreationRatio: other.cache_creation_ratio ?? 0,
    modelPrice: other.model_price ?? -1,
    quotaPerUnit,
    hdPictures: hdOf(model),
    ...searchPrices(other),
    ...(other.image && { imageRatio: other.image_ratio ?? 1 }),
    ...(hasAudio(other) && { audioRatio, audioCompletionRatio }),
  };
}

/** The text tokens in the prompt of a request with audio, if the upstream reported them. */
const textOf = (other: LogOther): number | undefined => (hasAudio(other) ? other.text_input : undefined);

/** Whether the row is of a task, which has no tokens: it is charged as one call, unless it is free. */
const isTask = ({ prompt_tokens: input, completion_tokens: output, quota }: Log, { usage_source: source }: LogOther) =>
  source === 'requested' && input + output === 0 && quota > 0;

/**
 * The usage in the form that the rating takes, where no token is counted twice. The counts of the row include media,
 * and cached tokens unless the upstream is Anthropic.
 */
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
    pictures: other.pictures,
    searches: searchesOf(other),
  };
}

const BY_CALL: readonly RatingKind[] = ['pictures', 'searches', 'call'];
export const isTokens = ({ kind }: BillLine): boolean => !BY_CALL.includes(kind);

function linesOf(usage: Usage, price: AppliedPrice): BillLine[] {
  // Without the group ratio, which the bill applies to the sum.
  return ratingOf(usage, { ...price, groupRatio: 1 }).lines.map(({ kind, count, ratio, units }): BillLine => {
    const each = BY_CALL.includes(kind)
      ? Number(units) / count / price.quotaPerUnit
      : (ratio * price.modelRatio * MILLION) / price.quotaPerUnit;
    return { kind, count, ratio, price: each };
  });
}

/**
 * The bill of a request, line by line, from the ratios it was charged with; `undefined` for rows that are no charged
 * requests.
 */
export function billOf(log: Log, other: LogOther, quotaPerUnit: number): Bill | undefined {
  if (log.type !== LogType.consume || other.group_ratio === undefined || !(quotaPerUnit > 0)) return undefined;
  const price = priceOf(log.model_name, other, quotaPerUnit);
  const usage = usageOf(log, other);
  const { modelRatio, groupRatio: group } = price;
  const units = rate(usage, price);
  const base = (modelRatio * MILLION) / quotaPerUnit;
  return { lines: linesOf(usage, price), modelRatio, base, group, total: units / quotaPerUnit, units };
}

/** US dollars with at most six decimals and no trailing zeros, which removes floating point noise. */
export const money = (value: number): string => `$${Number(value.toFixed(6))}`;
export const exactMoney = (value: number): string => `$${value.toFixed(6)}`;
export const plain = (value: number): string => String(Number(value.toFixed(6)));
