import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '../crypto/secret-box.js';
import type { AppError } from '../errors/app-error.js';
import { CALLER_HEADER, CALLER_PURPOSE } from './caller.js';
import { CallerGuard } from './caller.guard.js';

const secrets = new SecretBox('a secret of the tests that is long enough');
const now = (): number => Math.floor(Date.now() / 1000);
const signed = (more: object): string => {
  const caller = { userId: 7, username: 'u', role: 1, group: 'default', via: 'session', requestId: 'r' };
  return secrets.sign(CALLER_PURPOSE, { ...caller, exp: now() + 30, ...more });
};

/** What the guard makes of a request for a route of this role. */
function judged(minRole: number, header: string | undefined): string {
  const request = { headers: { [CALLER_HEADER]: header }, routeOptions: { config: { row: { minRole } } } };
  const context = { getType: () => 'http', switchToHttp: () => ({ getRequest: () => request }) };
  try {
    new CallerGuard(secrets).canActivate(context as unknown as ExecutionContext);
    return 'admitted';
  } catch (error) {
    const { kind, code } = error as AppError;
    return `${kind} ${code}`;
  }
}

describe('the guard of console calls', () => {
  it.each<[string, number, string | undefined, string]>([
    ['a visitor of a public route', 0, undefined, 'admitted'],
    ['a visitor', 1, undefined, 'unauthenticated not-signed-in'],
    ['a user', 1, signed({}), 'admitted'],
    ['a user on a route for administrators', 10, signed({}), 'forbidden permission-denied'],
    ['a forged signature', 1, `${signed({})}x`, 'unauthenticated not-signed-in'],
    [
      'a signature by a clock that is ten minutes behind',
      1,
      signed({ exp: now() - 570 }),
      'unavailable service-unknown',
    ],
    ['the same on a public route', 0, signed({ exp: now() - 570 }), 'admitted'],
  ])('answers %s', (_, minRole, header, outcome) => {
    expect(judged(minRole, header)).toBe(outcome);
  });
});
