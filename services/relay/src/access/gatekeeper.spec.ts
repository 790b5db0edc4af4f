import { describe, expect, it } from '@jest/globals';
import { Role, type TokenRecord, TokenStatus, type UserRecord, UserStatus } from '@tollgate/contracts';
import { Gatekeeper } from './gatekeeper.js';

const headers = { authorization: `Bearer sk-${'a1'.repeat(24)}` };
const enabled = { userId: 1, keyHint: 'a1', status: TokenStatus.enabled, expiredTime: -1, unlimitedQuota: false };

function codeOf(token: Partial<TokenRecord>, user: Partial<UserRecord>, isPaidFor: boolean): Promise<string> {
  const gatekeeper = new Gatekeeper(
    { find: () => ({ ...enabled, remainQuota: 5, ...token }) } as never,
    { find: () => ({ id: 1, role: Role.user, status: UserStatus.enabled, ...user }) } as never,
    {} as never,
    { seconds: () => 100 } as never,
  );
  return Promise.resolve()
    .then(() => gatekeeper.admit(headers, '/v1/realtime', isPaidFor))
    .then(
      () => 'admitted',
      (refusal: { error: { code: string } }) => refusal.error.code,
    );
}

describe('Gatekeeper', () => {
  it.each([
    ['nothing wrong', {}, {}, ['admitted', 'admitted']],
    ['nothing left', { remainQuota: 0 }, {}, ['token_exhausted', 'admitted']],
    ['the state of having nothing left', { status: TokenStatus.exhausted }, {}, ['token_exhausted', 'admitted']],
    [
      'nothing left of a banned user',
      { remainQuota: 0 },
      { status: UserStatus.banned },
      ['token_exhausted', 'user_banned'],
    ],
    ['a disabled token', { status: TokenStatus.disabled }, {}, ['token_disabled', 'token_disabled']],
    ['a time that is over', { expiredTime: 99 }, {}, ['token_expired', 'token_expired']],
  ])(
    'with %s: admits a new call and one that is paid for already, or refuses it with its reason',
    async (_, token, user, codes) => {
      expect([await codeOf(token, user, false), await codeOf(token, user, true)]).toEqual(codes);
    },
  );
});
