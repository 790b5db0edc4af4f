const NAME = 'session';
const THIRTY_DAYS = 30 * 24 * 60 * 60;

/** The value of our cookie in a `Cookie` header; of several, the first. */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === NAME) return part.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}

const attributes = (maxAge: number, secure: boolean): string =>
  `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

export const sessionCookie = (value: string, secure: boolean): string =>
  `${NAME}=${value}; ${attributes(THIRTY_DAYS, secure)}`;

export const expiredSessionCookie = (secure: boolean): string => `${NAME}=; ${attributes(0, secure)}`;
