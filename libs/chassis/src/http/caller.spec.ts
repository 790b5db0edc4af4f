import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '../crypto/secret-box.js';
import { CALLER_PURPOSE, verifiedCaller } from './caller.js';

const secrets = new SecretBox('a secret of the tests that is long enough');
const caller = { userId: 7, username: 'u', role: 1, group: 'default', via: 'session', requestId: 'r' };
const now = (): number => Math.floor(Date.now() / 1000);

describe('verifiedCaller', () => {
  it('believes the signature of the gateway for half a minute, clocks that differ by five minutes allowed for', () => {
    const signed = (exp: number): string => secrets.sign(CALLER_PURPOSE, { ...caller, exp });
    expect(verifiedCaller(secrets, signed(now() + 30))).toMatchObject({ userId: 7 });
    expect(verifiedCaller(secrets, signed(now() - 300))).toMatchObject({ userId: 7 });
    expect(verifiedCaller(secrets, signed(now() - 345))).toBeUndefined();
  });

  it('believes nobody else', () => {
    const exp = now() + 30;
    const foreign = new SecretBox('another secret of the tests, long enough').sign(CALLER_PURPOSE, { ...caller, exp });
    for (const header of [undefined, '', 'x.y', foreign, secrets.sign('forwarded-request', { ...caller, exp })])
      expect(verifiedCaller(secrets, header)).toBeUndefined();
  });
});
