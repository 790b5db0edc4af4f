import { randomInt } from 'node:crypto';
import type { SealedColumn, SecretBox } from '@tollgate/chassis';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_KEY_LENGTH = 48;
/** The relay hashes the keys of its clients under the same label. */
export const TOKEN_KEY_HASH = 'token-key';
/** A key of its own for what must be readable again: a hash and a cipher never share one. */
const TOKEN_KEY_SEAL = 'token-key-seal';

export interface SealedTokenKey {
  keyHash: string;
  keySealed: string;
  keyHint: string;
}

export const newTokenKey = (): string =>
  Array.from({ length: TOKEN_KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** `abc***xyz`, for messages. */
export const hintOf = (key: string): string => `${key.slice(0, 3)}***${key.slice(-3)}`;

export const sealTokenKey = (secrets: SecretBox, key: string): SealedTokenKey => ({
  keyHash: secrets.hmac(TOKEN_KEY_HASH, key),
  keySealed: secrets.encrypt(TOKEN_KEY_SEAL, key),
  keyHint: hintOf(key),
});

export const openTokenKey = (secrets: SecretBox, sealed: string): string => secrets.decrypt(TOKEN_KEY_SEAL, sealed);

/** Empty for a key that was sealed with a secret which is not set here: it can be deleted, and hides no other. */
export const shownTokenKey = (secrets: SecretBox, sealed: string): string =>
  secrets.tryDecrypt(TOKEN_KEY_SEAL, sealed) ?? '';

/**
 * The 48 characters of an `Authorization` header, behind an optional `Bearer ` and an optional `sk-`, and an administrator's choice of a channel
 * after them. Either is empty where there is none.
 */
export function keyFromHeader(header: string | undefined): { key: string; channel: string } {
  const text = (header ?? '')
    .replace(/^Bearer(\s+|$)/i, '')
    .trim()
    .replace(/^sk-/, '');
  const [key = '', ...rest] = text.split('-');
  return { key, channel: rest.join('-') };
}

/** The hash that a key is found by follows from the secret key as well. */
export const sealedTokenKeys: SealedColumn = {
  ...{ table: 'token', id: 'id', column: 'key_sealed' },
  // The key of somebody who was erased is gone.
  where: `"key_sealed" <> ''`,
  reseal: (row, secrets) => {
    const { keyHash, keySealed } = sealTokenKey(secrets, openTokenKey(secrets, String(row['key_sealed'])));
    return { key_hash: keyHash, key_sealed: keySealed };
  },
};
