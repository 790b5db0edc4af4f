import { Secret, TOTP } from 'otpauth';

/** The form that every authenticator app supports: SHA-1, six digits, thirty seconds (RFC 6238). */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Steps accepted before and after the current one, for clocks that differ and codes typed slowly. */
const WINDOW = 1;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const totpOf = (secret: string, issuer = '', label = ''): TOTP =>
  new TOTP({ ...FORM, issuer, label, secret: Secret.fromBase32(secret) });

/** The URL of the QR code. A colon separates issuer and name in it, so colons in the issuer are replaced. */
export const otpauthUrl = (secret: string, issuer: string, label: string): string =>
  totpOf(secret, issuer.replaceAll(':', ' '), label).toString();

/**
 * The time step that a code belongs to; `undefined` for a wrong code. The caller must refuse a step that was used
 * before.
 */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret).validate({ token, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / FORM.period) + delta;
}
