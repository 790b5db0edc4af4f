import { randomBytes } from 'node:crypto';
import type { SealedColumn, SecretBox } from '@tollgate/chassis';

const HASH = 'redemption-key';
const SEAL = 'redemption-key-seal';

/** 32 hexadecimal digits, 128 bits: nobody guesses one. */
export const newRedemptionKey = (): string => randomBytes(16).toString('hex');

/** Codes are typed by hand and pasted from mails: neither case nor blanks around one matter. */
const plain = (key: string): string => key.trim().toLowerCase();

/** Any of which it may be stored under. */
export const redemptionHashes = (secrets: SecretBox, key: string): string[] => secrets.hmacs(HASH, plain(key));

export const sealRedemptionKey = (secrets: SecretBox, key: string): { keyHash: string; keySealed: string } => ({
  keyHash: secrets.hmac(HASH, plain(key)),
  keySealed: secrets.encrypt(SEAL, key),
});

/** Empty for a code that was sealed with a secret which is not set here: it can be deleted, and hides no other. */
export const shownRedemptionKey = (secrets: SecretBox, sealed: string): string =>
  secrets.tryDecrypt(SEAL, sealed) ?? '';

export const sealedRedemptionKeys: SealedColumn = {
  ...{ table: 'redemption', id: 'id', column: 'key_sealed' },
  reseal: (row, secrets) => {
    const { keyHash, keySealed } = sealRedemptionKey(secrets, secrets.decrypt(SEAL, String(row['key_sealed'])));
    return { key_hash: keyHash, key_sealed: keySealed };
  },
};
