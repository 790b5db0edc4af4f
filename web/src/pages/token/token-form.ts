import type { CreateToken, Token, UpdateToken } from '@tollgate/contracts/api/token';
import { changesOf } from '../../components/forms/changes-of.js';
import { formatTime, parseTime } from '../../components/basics/time-format.js';

/** The form of the drawer: texts as typed, lists as arrays. */
export interface TokenForm {
  name: string;
  /** `YYYY-MM-DD HH:mm:ss`; empty: never. */
  expiry: string;
  quota: string;
  /** Not edited: the remaining plus the used quota are the budget that the reader saw. */
  usedQuota: number;
  unlimited: boolean;
  count: string;
  limitModels: boolean;
  models: string[];
  ips: string;
  group: string;
}

export const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000];
export const countPresets = [10, 20, 30, 100];
export const MAX_COUNT = 100;

const lines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
const names = (text: string): string[] => text.split(',').filter((name) => name !== '');

export const newToken = (name: string, group: string): TokenForm => ({
  name,
  expiry: '',
  quota: '500000',
  usedQuota: 0,
  unlimited: true,
  count: '1',
  limitModels: false,
  models: [],
  ips: '',
  group,
});

export const formOf = (token: Token): TokenForm => ({
  name: token.name,
  expiry: token.expired_time === -1 ? '' : formatTime(token.expired_time),
  quota: String(Math.max(0, token.remain_quota)),
  usedQuota: token.used_quota,
  unlimited: token.unlimited_quota,
  count: '1',
  limitModels: token.model_limits_enabled,
  models: names(token.model_limits),
  ips: token.allow_ips ?? '',
  group: token.group,
});

const fieldsOf = (form: TokenForm) => ({
  name: form.name.trim(),
  expired_time: form.expiry.trim() === '' ? -1 : (parseTime(form.expiry) ?? -1),
  remain_quota: Number(form.quota) || 0,
  unlimited_quota: form.unlimited,
  model_limits_enabled: form.limitModels,
  model_limits: form.models.join(','),
  allow_ips: lines(form.ips),
  group: form.group,
});
export const toCreate: (form: TokenForm) => CreateToken = fieldsOf;

/** Only the fields that differ from the values that were loaded. */
export function toUpdate(form: TokenForm, seen: TokenForm, id: number): UpdateToken {
  const { expected, ...change } = changesOf(fieldsOf(form), fieldsOf(seen));
  if (!expected) return { id };
  const used = expected.remain_quota === undefined ? {} : { used_quota: seen.usedQuota };
  return { id, ...change, expected: { ...expected, ...used } };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const suffix = (): string =>
  [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Names of a batch: the second and later ones get a dash and six random characters. */
export const batchNames = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${suffix()}`));

/** As on the server, no part has a leading zero, because such a part can be read as octal. */
const isIpv4 = (text: string): boolean =>
  /^((0|[1-9]\d{0,2})\.){3}(0|[1-9]\d{0,2})$/.test(text) && text.split('.').every((part) => Number(part) <= 255);
const isIpv6 = (text: string): boolean =>
  /^[0-9a-f:]+(:\d{1,3}(\.\d{1,3}){3})?$/i.test(text) && URL.canParse(`http://[${text}]/`);

/** The first line that is neither an IP address nor a range, or `undefined`. */
export function badAddress(text: string): string | undefined {
  return lines(text)
    .split('\n')
    .find((line) => {
      const [address = '', bits, ...rest] = line.split('/');
      const most = isIpv4(address) ? 32 : isIpv6(address) ? 128 : -1;
      const badBits = bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most);
      return line !== '' && (most < 0 || badBits || rest.length > 0);
    });
}
