import { describe, expect, it } from '@jest/globals';
import type { Token } from '@tollgate/contracts/api/token';
import { badAddress, batchNames, formOf, newToken, toCreate, toUpdate } from './token-form.js';

const token: Token = {
  id: 7,
  user_id: 1,
  key: 'abc***xyz',
  status: 1,
  name: 'ci',
  created_time: 1,
  accessed_time: 0,
  expired_time: 1_795_230_185,
  remain_quota: 500,
  used_quota: 3,
  unlimited_quota: false,
  model_limits_enabled: true,
  model_limits: 'a,b',
  allow_ips: null,
  group: 'vip',
};

describe('token form', () => {
  it('starts with the defaults of the spec', () => {
    expect(toCreate(newToken('mine', 'default'))).toEqual({
      name: 'mine',
      expired_time: -1,
      remain_quota: 500_000,
      unlimited_quota: true,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: 'default',
    });
  });

  it('sends only what changed', () => {
    const form = formOf(token);
    expect(toUpdate(form, form, 7)).toEqual({ id: 7 });
    expect(toUpdate({ ...form, expiry: '', models: ['b'], ips: ' 10.0.0.1 \n\n' }, form, 7)).toEqual({
      ...{ id: 7, expired_time: -1, model_limits: 'b', allow_ips: '10.0.0.1' },
      expected: { expired_time: 1_795_230_185, model_limits: 'a,b', allow_ips: '' },
    });
  });

  it('sends the budget that was loaded as the remaining and the used quota', () => {
    const form = formOf(token);
    expect(toUpdate({ ...form, quota: '900' }, form, 7)).toEqual({
      ...{ id: 7, remain_quota: 900, expected: { remain_quota: 500, used_quota: 3 } },
    });
  });

  it('gives the tokens of a batch distinct names', () => {
    const made = batchNames('ci', 30);
    expect(made[0]).toBe('ci');
    expect(made.slice(1).every((name) => /^ci-[A-Za-z0-9]{6}$/.test(name))).toBe(true);
    expect(new Set(made).size).toBe(30);
  });

  it('finds the first line that is neither an address nor a range', () => {
    expect(badAddress('10.0.0.1\n10.0.0.0/8\n2001:db8::/32\n::1\n')).toBeUndefined();
    expect(badAddress('10.0.0.1\n10.0.0.256')).toBe('10.0.0.256');
    // The server refuses a leading zero, because it can be read as octal.
    expect(badAddress('10.0.0.10\n127.0.0.010')).toBe('127.0.0.010');
    expect(badAddress('0.0.0.0/0\n010.0.0.0/8')).toBe('010.0.0.0/8');
    expect(badAddress('10.0.0.0/33')).toBe('10.0.0.0/33');
    expect(badAddress('example.com')).toBe('example.com');
    expect(badAddress('1.2.3.4/8/8')).toBe('1.2.3.4/8/8');
  });
});
