import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryKeyValue, SecretBox } from '@tollgate/chassis';
import { VerificationCodes } from './verification-codes.js';

describe('verification codes', () => {
  let codes: VerificationCodes;

  beforeEach(() => {
    codes = new VerificationCodes(new MemoryKeyValue(), new SecretBox('a'.repeat(32)));
  });

  const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');

  it('are accepted once, also when two requests use them at the same time', async () => {
    const code = await codes.issue('register', 'ann@example.com');
    const outcomes = await Promise.all([1, 2].map(() => codes.redeem('register', 'ann@example.com', code)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await codes.redeem('register', 'ann@example.com', code)).toBe(false);
  });

  it('are accepted for their own purpose and address only', async () => {
    const code = await codes.issue('register', 'ann@example.com');
    expect(await codes.redeem('bind-email:1', 'ann@example.com', code)).toBe(false);
    expect(await codes.redeem('register', 'bob@example.com', code)).toBe(false);
    expect(await codes.redeem('register', 'ann@example.com', code)).toBe(true);
  });

  it('become invalid after five wrong guesses', async () => {
    const code = await codes.issue('register', 'ann@example.com');
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await codes.redeem('register', 'ann@example.com', wrong(code))).toBe(false);
    }
    expect(await codes.redeem('register', 'ann@example.com', code)).toBe(false);
  });

  it('can be checked without being used up, and a correct check counts as no guess', async () => {
    const code = await codes.issue('register', 'ann@example.com');
    for (let guess = 0; guess < 6; guess += 1) expect(await codes.fits('register', 'ann@example.com', code)).toBe(true);
    expect(await codes.redeem('register', 'ann@example.com', code)).toBe(true);
    expect(await codes.fits('register', 'ann@example.com', code)).toBe(false);
  });

  it('become invalid after five wrong guesses, of checks and uses together', async () => {
    const code = await codes.issue('register', 'ann@example.com');
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await codes.fits('register', 'ann@example.com', wrong(code))).toBe(false);
    }
    expect(await codes.redeem('register', 'ann@example.com', code)).toBe(false);
  });

  it('are replaced by a newer one', async () => {
    const old = await codes.issue('register', 'ann@example.com');
    const fresh = await codes.issue('register', 'ann@example.com');
    if (old !== fresh) expect(await codes.redeem('register', 'ann@example.com', old)).toBe(false);
    expect(await codes.redeem('register', 'ann@example.com', fresh)).toBe(true);
  });
});
