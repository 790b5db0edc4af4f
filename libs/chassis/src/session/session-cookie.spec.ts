import { describe, expect, it } from '@jest/globals';
import { expiredSessionCookies, readSessionCookie, sessionCookies } from './session-cookie.js';

describe('the session cookie', () => {
  it('is out of reach of scripts and other sites for thirty days', () => {
    expect(sessionCookies('abc', false)).toEqual(['session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict']);
    expect(expiredSessionCookies(false)).toEqual(['session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict']);
  });

  it('has a name behind TLS that no other host can set, and replaces the plain one', () => {
    expect(sessionCookies('abc', true)).toEqual([
      '__Host-session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure',
      'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    ]);
    expect(expiredSessionCookies(true).map((line) => line.split(';')[0])).toEqual(['__Host-session=', 'session=']);
  });

  it('is found among others by its exact names, the safer one first', () => {
    expect(readSessionCookie('theme=dark; session=abc=; xsession=no')).toBe('abc=');
    expect(readSessionCookie('session=planted; __Host-session=ours')).toBe('ours');
    expect(readSessionCookie('__Host-session=; session=old')).toBe('old');
    expect(readSessionCookie('xsession=no; session2=no; __host-session=no')).toBeUndefined();
    expect(readSessionCookie('session=')).toBeUndefined();
    expect(readSessionCookie(undefined)).toBeUndefined();
  });
});
