import { randomBytes } from 'node:crypto';
import type { SecretBox } from '@tollgate/chassis';

const HASH = 'redemption-key';
const SEAL = 'redemption-key-seal';

/** 32 hexadecimal digits, 128 bits: nobody guesses one. */
export const newRedemptionKey = (): string => randomBytes(16).toString('hex');

/** Codes are typed by hand and pasted from mails: neither case nor blanks around one matter. */
export const hashRedemptionKey = (secrets: SecretBox, key: string): string =>
  secrets.hmac(HASH, key.trim().toLowerCase());

export const sealRedemptionKey = (secrets: SecretBox, key: string): { keyHash: string; keySealed: string } => ({
  keyHash: hashRedemptionKey(secrets, key),
  keySealed: secrets.encrypt(SEAL, key),
});

export const openRedemptionKey = (secrets: SecretBox, sealed: string): string => secrets.decrypt(SEAL, sealed);
