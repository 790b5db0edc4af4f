import { describe, expect, it } from '@jest/globals';
import { expiredSessionCookie, readSessionCookie, sessionCookie } from './session-cookie.js';

describe('the session cookie', () => {
  it('is out of reach of scripts and other sites for thirty days', () => {
    expect(sessionCookie('abc', false)).toBe('session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict');
    expect(sessionCookie('abc', true)).toMatch(/; Secure$/);
    expect(expiredSessionCookie(false)).toContain('session=; Path=/; Max-Age=0');
  });

  it('is found among others by its exact name', () => {
    expect(readSessionCookie('theme=dark; session=abc=; xsession=no')).toBe('abc=');
    expect(readSessionCookie('xsession=no; session2=no')).toBeUndefined();
    expect(readSessionCookie('session=')).toBeUndefined();
    expect(readSessionCookie(undefined)).toBeUndefined();
  });
});
