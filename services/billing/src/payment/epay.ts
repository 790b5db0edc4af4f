import { createHash, timingSafeEqual } from 'node:crypto';

export type EpayFields = Record<string, string>;

/** Not part of what is signed. */
const UNSIGNED = new Set(['sign', 'sign_type']);
const PAID = 'TRADE_SUCCESS';

/**
 * The signature of the EasyPay protocol: fields with a value, sorted by name, as `k=v` joined by `&`, the key right behind, MD5 in
 * lower-case hex.
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

/** An empty key signs nothing: anybody could. */
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

/** The form of a POST, or else the query of a GET; a name that comes twice counts as its first value. */
export function epayFieldsOf(query: Readonly<EpayFields>, body: string): EpayFields {
  const fields: EpayFields = {};
  for (const [name, value] of new URLSearchParams(body)) fields[name] ??= value;
  return Object.keys(fields).length > 0 ? fields : { ...query };
}

export const isEpayPaid = (fields: Readonly<EpayFields>): boolean => fields['trade_status'] === PAID;

/** `zfb` of the console is Alipay; the rest is WeChat, as in the reference. */
export const epayMethod = (method: string): string => (/^(zfb|alipay)$/.test(method) ? 'alipay' : 'wxpay');
