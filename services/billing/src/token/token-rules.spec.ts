import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '@tollgate/chassis';
import { toAddressList, toModelList } from './token-lists.js';
import { subscriptionOf, usageOf } from './dashboard-billing.js';
import { keyFromHeader, newTokenKey, openTokenKey, sealTokenKey } from './token-key.js';

describe('toAddressList', () => {
  it.each(['1.2.3.4', '0.0.0.0/0', '::1', 'fe80::/10', '::ffff:1.2.3.4', '::ffff:127.0.0.0/104'])(
    'accepts %s',
    (entry) => {
      expect(toAddressList(entry)).toBe(entry);
    },
  );
  it.each([
    '1.2.3',
    '1.2.3.256',
    '0x7f.0.0.1',
    '127.0.0.010',
    '127.0.0.010/32',
    '0127.0.0.1',
    '::ffff:127.0.0.010',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '::1/129',
    'fe80::1%eth0',
    'host',
    '2130706433',
  ])('refuses %s', (entry) => {
    expect(() => toAddressList(`10.0.0.1\n${entry}`)).toThrow('IP 白名单格式错误');
  });
  it('drops blanks, commas and repetitions', () => {
    expect(toAddressList(' 1.1.1.1,\r\n\n2.2.2.2 , 1.1.1.1')).toBe('1.1.1.1\n2.2.2.2');
    expect(toAddressList(' \n')).toBe('');
  });
});

describe('toModelList', () => {
  it('keeps names once each, in their order', () => {
    expect(toModelList('b, a,,b ')).toBe('b,a');
  });
});

describe('token keys', () => {
  const secrets = new SecretBox('a secret of the tests that is long enough');
  it('are 48 characters, sealed, found by hash', () => {
    const key = newTokenKey();
    expect(key).toMatch(/^[A-Za-z0-9]{48}$/);
    const sealed = sealTokenKey(secrets, key);
    expect(openTokenKey(secrets, sealed.keySealed)).toBe(key);
    expect(sealed.keyHash).toBe(secrets.hmac('token-key', key));
    expect(sealed.keyHint).toBe(`${key.slice(0, 3)}***${key.slice(-3)}`);
  });
  it.each([
    ['Bearer sk-abc', 'abc', ''],
    ['bearer abc', 'abc', ''],
    ['sk-abc-12', 'abc', '12'],
    ['sk-abc-12-x', 'abc', '12'],
    ['', '', ''],
    [undefined, '', ''],
    ['Bearer sk-', '', ''],
  ])('are read from the header %p as %p, with the channel %p', (header, key, channel) => {
    expect(keyFromHeader(header)).toEqual({ key, channel });
  });
});

describe('the billing view', () => {
  const token = { remainQuota: 400, spent: 100, unlimitedQuota: false, expiredTime: -1 };
  const owner = { quota: 9000, usedQuota: 1000 };
  const options = { byToken: true, inCurrency: false, quotaPerUnit: 100 };
  it("shows the token's amounts, or its owner's", () => {
    expect(subscriptionOf(token, owner, options)).toMatchObject({ hard_limit_usd: 500, access_until: 0 });
    expect(subscriptionOf(token, owner, { ...options, byToken: false, inCurrency: true })).toMatchObject({
      hard_limit_usd: 100,
    });
    expect(usageOf(token, owner, { ...options, inCurrency: true })).toMatchObject({ total_usage: 100 });
    expect(usageOf(token, owner, { ...options, byToken: false })).toMatchObject({ total_usage: 100_000 });
  });
  it('shows no more digits than a charge has', () => {
    const shown = { ...options, inCurrency: true, quotaPerUnit: 500_000 };
    expect(usageOf({ ...token, spent: 124 }, owner, shown)).toMatchObject({ total_usage: 0.0248 });
  });
  it('shows a hundred million for an unlimited token', () => {
    expect(subscriptionOf({ ...token, unlimitedQuota: true }, owner, options)).toMatchObject({
      soft_limit_usd: 100_000_000,
    });
  });
});
