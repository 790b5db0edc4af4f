import { createHash, timingSafeEqual } from 'node:crypto';

type EpayFields = Record<string, string>;

/** Fields that the signature does not cover. */
const UNSIGNED = new Set(['sign', 'sign_type']);
const PAID = 'TRADE_SUCCESS';

/**
 * The signature of the EasyPay protocol: non-empty fields sorted by name, as `k=v` joined by `&`, directly followed by
 * the key, as MD5 in lower-case hex.
 */
export function epaySignature(fields: Readonly<EpayFields>, key: string): string {
  const text = Object.entries(fields)
    .filter(([name, value]) => value !== '' && !UNSIGNED.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5')
    .update(text + key)
    .digest('hex');
}

/** False for an empty key, with which anybody could sign. */
export function isEpaySigned(fields: Readonly<EpayFields>, key: string): boolean {
  const given = Buffer.from((fields['sign'] ?? '').toLowerCase());
  const expected = Buffer.from(epaySignature(fields, key));
  const type = (fields['sign_type'] ?? 'MD5').toUpperCase();
  return key !== '' && type === 'MD5' && given.length === expected.length && timingSafeEqual(given, expected);
}

export const signedEpayFields = (fields: Readonly<EpayFields>, key: string): EpayFields => ({
  ...fields,
  sign_type: 'MD5',
  sign: epaySignature(fields, key),
});

/** The fields of a POST form, otherwise the query of a GET; the first value of a repeated name counts. */
export function epayFieldsOf(query: Readonly<EpayFields>, body: string): EpayFields {
  const fields: EpayFields = {};
  for (const [name, value] of new URLSearchParams(body)) fields[name] ??= value;
  return Object.keys(fields).length > 0 ? fields : { ...query };
}

export const isEpayPaid = (fields: Readonly<EpayFields>): boolean => fields['trade_status'] === PAID;

/** `zfb` in the console means Alipay; any other method means WeChat, as in the reference system. */
export const epayMethod = (method: string): string => (/^(zfb|alipay)$/.test(method) ? 'alipay' : 'wxpay');
