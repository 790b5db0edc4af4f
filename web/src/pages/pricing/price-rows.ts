import type { PricingRow } from '@tollgate/contracts/api/pricing';
import type { PriceList } from '../../api/pricing.api.js';

export interface PriceRow {
  /** The index in the reply. */
  id: number;
  name: string;
  perCall: boolean;
  /** Whether the reader may call it in the viewed group. */
  available: boolean;
  /** The groups with this model that the reader may use; empty if there is none. */
  groups: string[];
  /** False when no price is set; the numbers in the reply are then only fallbacks. */
  priced: boolean;
  /** Calls are refused, because no price is set and the reader does not accept that. */
  refused: boolean;
  modelRatio: number;
  completionRatio: number;
  groupRatio: number;
  /** USD per million tokens, or per call. */
  prompt: number;
  completion: number | undefined;
}

const MILLION = 1_000_000;

interface Wanted {
  group: string;
  /** Whether models without a price may be called: in self-use mode, or by the reader's own choice. */
  acceptsUnpriced: boolean;
  keyword: string;
  quotaPerUnit: number;
}

function toRow(row: PricingRow, id: number, list: PriceList, wanted: Wanted): PriceRow {
  const { group, acceptsUnpriced, quotaPerUnit } = wanted;
  const perCall = row.quota_type === 1;
  const priced = row.priced !== false;
  const refused = !priced && !acceptsUnpriced;
  const groupRatio = list.group_ratio[group] ?? 1;
  const base = (row.model_ratio * MILLION * groupRatio) / quotaPerUnit;
  return {
    id,
    name: row.model_name,
    perCall,
    available: row.enable_groups.includes(group) && !refused,
    groups: row.enable_groups.filter((name) => Object.hasOwn(list.group_ratio, name)).sort(),
    priced,
    refused,
    modelRatio: row.model_ratio,
    completionRatio: row.completion_ratio,
    groupRatio,
    prompt: perCall ? row.model_price * groupRatio : base,
    completion: perCall ? undefined : base * row.completion_ratio,
  };
}

const isGpt = ({ name }: PriceRow): boolean => name.startsWith('gpt');

/** Sort order: available models first, then gpt models, then by name, then by billing type. */
const order = (one: PriceRow, other: PriceRow): number =>
  Number(other.available) - Number(one.available) ||
  Number(isGpt(other)) - Number(isGpt(one)) ||
  one.name.localeCompare(other.name, 'en') ||
  Number(one.perCall) - Number(other.perCall);

export function toPriceRows(list: PriceList, wanted: Wanted): PriceRow[] {
  const word = wanted.keyword.trim().toLowerCase();
  return list.data
    .map((row, id) => toRow(row, id, list, wanted))
    .filter(({ name }) => name.toLowerCase().includes(word))
    .sort(order);
}

const DIGITS = 6;

/** US dollars with at most six digits, or all of the whole dollars; below one dollar with six decimals. Without floating point noise. */
export function price(value: number): string {
  const whole = value < 1 ? 0 : String(Math.trunc(value)).length;
  return `$${Number(value.toFixed(Math.max(0, DIGITS - whole)))}`;
}
export const ratio = (value: number): string => String(Number(value.toFixed(3)));
