import type { CreateRedemption, Redemption, UpdateRedemption } from '@tollgate/contracts/api/redemption';
import { mostAtOnce } from '@tollgate/contracts/quota-limits';
import { lengthOf, textLimits } from '@tollgate/contracts/text-limits';
import type { TextOf } from '../../app/i18n/text-keys.js';
import { changesOf } from '../../components/forms/changes-of.js';
import { formatTime, parseTime } from '../../components/basics/time-format.js';
import type { TextProblem } from '../../components/forms/text-problem.js';

export interface RedemptionForm {
  name: string;
  quota: string;
  count: string;
  /** `YYYY-MM-DD HH:mm:ss`; empty: never. */
  expiry: string;
}

export const MAX_COUNT = 100;
export const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000];
export const blankCode: RedemptionForm = { name: '', quota: '100000', count: '1', expiry: '' };

export const formOf = ({ name, quota, expired_time: expires }: Redemption): RedemptionForm => ({
  ...blankCode,
  name,
  quota: String(quota),
  expiry: expires === 0 ? '' : formatTime(expires),
});

/** `needed`: whether an empty name is refused. For a new batch it is not, since that is then named after its quota. */
export function nameProblem(name: string, needed: boolean): TextProblem<TextOf<'redemption'>> | undefined {
  const now = lengthOf(name.trim(), textLimits.redemptionName);
  if (now === 0) return needed ? { key: 'form.noName' } : undefined;
  const { most: max } = textLimits.redemptionName;
  return now > max ? { key: 'form.longName', params: { max, now } } : undefined;
}

export const isCount = (text: string): boolean =>
  /^\d{1,3}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAX_COUNT;

/** Why a batch of so many codes may not be worth that many units each. An invalid number of codes has a fault of its own. */
export function worthProblem(each: number, count: string): TextProblem<TextOf<'redemption'>> | undefined {
  const codes = isCount(count) ? Number(count) : 1;
  if (codes * each <= mostAtOnce) return undefined;
  return { key: 'form.tooDear', params: { count: codes, most: Math.floor(mostAtOnce / codes), total: mostAtOnce } };
}

const expiryOf = ({ expiry }: RedemptionForm): number => (expiry.trim() === '' ? 0 : (parseTime(expiry) ?? 0));

export const toCreate = (form: RedemptionForm, unnamed: string): CreateRedemption => ({
  name: form.name.trim() || unnamed,
  quota: Number(form.quota),
  count: Number(form.count),
  expired_time: expiryOf(form),
});

const fieldsOf = (form: RedemptionForm) => ({
  name: form.name.trim(),
  quota: Number(form.quota),
  expired_time: expiryOf(form),
});

/** Only the fields that differ from the values that were loaded. */
export const toUpdate = (form: RedemptionForm, seen: RedemptionForm, id: number): UpdateRedemption => ({
  id,
  ...changesOf(fieldsOf(form), fieldsOf(seen)),
});
