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

/** One term of a bill. */
export interface BillLine {
  kind: RatingKind;
  count: number;
  /** Beside the model ratio; 1 for what is charged by the call. */
  ratio: number;
  /** USD before the group: of a million tokens, or of one of what is no token. */
  price: number;
}

/** `units` is what the arithmetic that charged the request makes of the row's numbers. */
export interface Bill {
  lines: BillLine[];
  modelRatio: number;
  /** USD for a million plain tokens of the prompt, before the group. */
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
/** Whether quality costs more is no price that an operator sets: it hangs on the model, and no row says it. */
const hdOf = (model: string) => priceFor(model, '', noTables, { acceptUnset: true })?.hdPictures;

/** What the row says of searches, as the price of a thousand and as their number. */
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
    pictures: other.pictures,
    searches: searchesOf(other),
  };
}

const BY_CALL: readonly RatingKind[] = ['pictures', 'searches', 'call'];
export const isTokens = ({ kind }: BillLine): boolean => !BY_CALL.includes(kind);

function linesOf(usage: Usage, price: AppliedPrice): BillLine[] {
  // The group stands beside the sum.
  return ratingOf(usage, { ...price, groupRatio: 1 }).lines.map(({ kind, count, ratio, units }): BillLine => {
    const each = BY_CALL.includes(kind)
      ? Number(units) / count / price.quotaPerUnit
      : (ratio * price.modelRatio * MILLION) / price.quotaPerUnit;
    return { kind, count, ratio, price: each };
  });
}

/** The price of a request, line by line, from the numbers that rated it; undefined for rows that are no request. */
export function billOf(log: Log, other: LogOther, quotaPerUnit: number): Bill | undefined {
  if (log.type !== LogType.consume || other.group_ratio === undefined || !(quotaPerUnit > 0)) return undefined;
  const price = priceOf(log.model_name, other, quotaPerUnit);
  const usage = usageOf(log, other);
  const { modelRatio, groupRatio: group } = price;
  const units = rate(usage, price);
  const base = (modelRatio * MILLION) / quotaPerUnit;
  return { lines: linesOf(usage, price), modelRatio, base, group, total: units / quotaPerUnit, units };
}

/** At most six digits, without trailing zeros: floating tails are not money. */
export const money = (value: number): string => `$${Number(value.toFixed(6))}`;
export const exactMoney = (value: number): string => `$${value.toFixed(6)}`;
export const plain = (value: number): string => String(Number(value.toFixed(6)));

/** Whole numbers in groups of three, in either language. */
export const formatCount = (value: number): string => new Intl.NumberFormat('en-US').format(value);
