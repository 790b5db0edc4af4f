import { LETTERS_AND_DIGITS, randomText, type SealedColumn, type SecretBox } from '@tollgate/chassis';

const TOKEN_KEY_LENGTH = 48;
/** Label of the hash; the relay hashes its clients' keys under the same label. */
export const TOKEN_KEY_HASH = 'token-key';
/** Label of the encryption; hash and cipher use different derived keys. */
const TOKEN_KEY_SEAL = 'token-key-seal';

interface SealedTokenKey {
  keyHash: string;
  keySealed: string;
  keyHint: string;
}

export const newTokenKey = (): string => randomText(TOKEN_KEY_LENGTH, LETTERS_AND_DIGITS);

/** For example `abc***xyz`, for messages. */
const hintOf = (key: string): string => `${key.slice(0, 3)}***${key.slice(-3)}`;

export const sealTokenKey = (secrets: SecretBox, key: string): SealedTokenKey => ({
  keyHash: secrets.hmac(TOKEN_KEY_HASH, key),
  keySealed: secrets.encrypt(TOKEN_KEY_SEAL, key),
  keyHint: hintOf(key),
});

export const openTokenKey = (secrets: SecretBox, sealed: string): string => secrets.decrypt(TOKEN_KEY_SEAL, sealed);

/**
 * Empty for a key that was sealed with a secret key that is not configured here; its token can still be listed and
 * deleted.
 */
export const shownTokenKey = (secrets: SecretBox, sealed: string): string =>
  secrets.tryDecrypt(TOKEN_KEY_SEAL, sealed) ?? '';

/**
 * The key in an `Authorization` header, without an optional `Bearer ` and `sk-`, and the channel that an
 * administrator's key may name after it. Either is empty if absent.
 */
export function keyFromHeader(header: string | undefined): { key: string; channel: string } {
  const text = (header ?? '')
    .replace(/^Bearer(\s+|$)/i, '')
    .trim()
    .replace(/^sk-/, '');
  const [key = '', channel = ''] = text.split('-', 2);
  return { key, channel };
}

/** Resealing also replaces the hash by which a key is found, since that depends on the secret key, too. */
export const sealedTokenKeys: SealedColumn = {
  ...{ table: 'token', id: 'id', column: 'key_sealed' },
  // An erased user's tokens have no key any more.
  where: `"key_sealed" <> ''`,
  reseal: (row, secrets) => {
    const { keyHash, keySealed } = sealTokenKey(secrets, openTokenKey(secrets, String(row['key_sealed'])));
    return { key_hash: keyHash, key_sealed: keySealed };
  },
};
