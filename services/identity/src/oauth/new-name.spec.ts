import { describe, expect, it } from '@jest/globals';
import { displayNameFrom, numberedName, usernameFrom, withSuffix } from './new-name.js';

describe('user names derived from names at a sign-in provider', () => {
  it.each([
    ['ann', 'ann'],
    ['ann.smith@example.com', 'ann.smith'],
    ['a name that is too long', 'anamethatist'],
    ['ａｎｎ', 'ann'],
    ['an\u200bn', 'ann'],
    ['', undefined],
    [undefined, undefined],
    ['@', undefined],
    ['сarol', undefined],
    ['erased-7', undefined],
    ['Ｅrased-7@example.com', undefined],
  ])('%j becomes %j', (given, username) => {
    expect(usernameFrom(given)).toBe(username);
  });

  it.each([
    ['linuxdo', 9999, 'linuxdo_9999'],
    ['linuxdo', 10_000, 'linuxd_10000'],
    ['github', 100_000, 'githu_100000'],
    ['oidc', 2_147_483_647, 'o_2147483647'],
  ])('keeps the number whole: %s and %i become %s', (provider, id, username) => {
    expect(numberedName(provider, id)).toBe(username);
  });

  it('makes room for a suffix when a name is taken', () => {
    expect(withSuffix('github_12345', () => '0042')).toBe('github__0042');
    expect(withSuffix('ann', () => '0042')).toBe('ann_0042');
  });

  it('cuts the display name, and uses a default when nothing is left of it', () => {
    expect(displayNameFrom('x'.repeat(30), 'OIDC User')).toBe('x'.repeat(20));
    expect(displayNameFrom(' \u0007 ', 'OIDC User')).toBe('OIDC User');
  });
});
