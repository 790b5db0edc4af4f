import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { epayFieldsOf, epayMethod, epaySignature, isEpaySigned, signedEpayFields } from './epay.js';

const fields = { pid: '1001', type: 'alipay', money: '7.30', out_trade_no: 'USR1NOabc', device: '', name: 'TUC1' };

describe('epaySignature', () => {
  it('signs non-empty fields, sorted by name, followed by the key', () => {
    const text = 'money=7.30&name=TUC1&out_trade_no=USR1NOabc&pid=1001&type=alipaysecret';
    expect(epaySignature(fields, 'secret')).toBe(createHash('md5').update(text).digest('hex'));
  });

  it('accepts its own signature, in either case', () => {
    const signed = signedEpayFields(fields, 'secret');
    expect(isEpaySigned(signed, 'secret')).toBe(true);
    expect(isEpaySigned({ ...signed, sign: signed['sign']?.toUpperCase() ?? '' }, 'secret')).toBe(true);
  });

  it.each([
    ['another key', signedEpayFields(fields, 'other'), 'secret'],
    ['an empty key, though the signature fits', signedEpayFields(fields, ''), ''],
    ['a changed amount', { ...signedEpayFields(fields, 'secret'), money: '0.01' }, 'secret'],
    ['a field more', { ...signedEpayFields(fields, 'secret'), extra: 'x' }, 'secret'],
    ['no signature', fields, 'secret'],
    ['another kind of signature', { ...signedEpayFields(fields, 'secret'), sign_type: 'RSA' }, 'secret'],
    ['a short signature', { ...signedEpayFields(fields, 'secret'), sign: 'ab' }, 'secret'],
  ])('refuses %s', (_, sent, key) => {
    expect(isEpaySigned(sent, key)).toBe(false);
  });
});

describe('epayFieldsOf', () => {
  it('prefers the form of a POST to the query of a GET', () => {
    expect(epayFieldsOf({ pid: '1' }, 'pid=2&pid=3&name=%E4%BD%A0+x')).toEqual({ pid: '2', name: '你 x' });
    expect(epayFieldsOf({ pid: '1' }, '')).toEqual({ pid: '1' });
  });
});

it.each([
  ['zfb', 'alipay'],
  ['alipay', 'alipay'],
  ['wx', 'wxpay'],
  ['', 'wxpay'],
])('pays %p as %p', (method, type) => expect(epayMethod(method)).toBe(type));
