import type { Env } from '../config/env.js';
import { SESSION_SECONDS } from './session-store.js';

/**
 * Behind TLS the `__Host-` prefix keeps other hosts and pages from setting the cookie: browsers then demand Secure, the path / and no
 * domain.
 */
const SECURE_NAME = '__Host-session';
const PLAIN_NAME = 'session';
const NO_VALUE = '';

/**
 * The value of our session cookie in a `Cookie` header, the first if there are several. The `__Host-` name takes precedence; the plain one
 * is accepted behind TLS too, so that sessions begun under it stay signed in.
 */
export function readSessionCookie(header: string | undefined): string | undefined {
  return valueOf(header, SECURE_NAME) ?? valueOf(header, PLAIN_NAME);
}

function valueOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}

const cookie = (name: string, value: string, maxAge: number, secure: boolean): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** The `Set-Cookie` lines that begin a session; behind TLS they also delete a cookie with the plain name. */
export const sessionCookies = (value: string, secure: boolean): string[] =>
  secure
    ? [cookie(SECURE_NAME, value, SESSION_SECONDS, true), cookie(PLAIN_NAME, NO_VALUE, 0, true)]
    : [cookie(PLAIN_NAME, value, SESSION_SECONDS, false)];

/** The `Set-Cookie` lines that end a session. */
export const expiredSessionCookies = (secure: boolean): string[] =>
  secure
    ? [cookie(SECURE_NAME, NO_VALUE, 0, true), cookie(PLAIN_NAME, NO_VALUE, 0, true)]
    : [cookie(PLAIN_NAME, NO_VALUE, 0, false)];

/** Whether the browser uses TLS, to us or to a proxy in front of us. */
export const isSecure = (
  { protocol }: { protocol: string },
  { TOLLGATE_SECURE_COOKIES }: Pick<Env, 'TOLLGATE_SECURE_COOKIES'>,
): boolean => TOLLGATE_SECURE_COOKIES === 'always' || protocol === 'https';
