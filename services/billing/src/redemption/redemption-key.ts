import { randomBytes } from 'node:crypto';
import type { SealedColumn, SecretBox } from '@tollgate/chassis';

const HASH = 'redemption-key';
const SEAL = 'redemption-key-seal';

/** 32 hexadecimal digits, that is 128 random bits, which cannot be guessed. */
export const newRedemptionKey = (): string => randomBytes(16).toString('hex');

/** Codes are typed by hand and pasted from mails, so case and surrounding blanks are ignored. */
const plain = (key: string): string => key.trim().toLowerCase();

/** The hashes under which a code may be stored; several while the secret key is being replaced. */
export const redemptionHashes = (secrets: SecretBox, key: string): string[] => secrets.hmacs(HASH, plain(key));

export const sealRedemptionKey = (secrets: SecretBox, key: string): { keyHash: string; keySealed: string } => ({
  keyHash: secrets.hmac(HASH, plain(key)),
  keySealed: secrets.encrypt(SEAL, key),
});

/**
 * Empty for a code that was sealed with a secret key that is not configured here; it can still be listed and deleted.
 */
export const shownRedemptionKey = (secrets: SecretBox, sealed: string): string =>
  secrets.tryDecrypt(SEAL, sealed) ?? '';

export const sealedRedemptionKeys: SealedColumn = {
  ...{ table: 'redemption', id: 'id', column: 'key_sealed' },
  reseal: (row, secrets) => {
    const { keyHash, keySealed } = sealRedemptionKey(secrets, secrets.decrypt(SEAL, String(row['key_sealed'])));
    return { key_hash: keyHash, key_sealed: keySealed };
  },
};
