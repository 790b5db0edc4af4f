import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { type SecretBox, sealedFor } from '@tollgate/chassis';

export interface SigningKey {
  id: string;
  /** 32 bytes, hex. */
  publicKey: string;
  /** Ed25519 signature over the UTF-8 bytes of the text, hex. */
  sign(text: string): string;
}

const PURPOSE = 'journal-seal-key';

/** A new key pair in its stored form: the private part is encrypted with the secret key of the installation. */
export function makeSigningKey(secrets: SecretBox): { id: string; publicKey: string; privateSealed: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicKey = publicOf(pem);
  return { id: keyIdOf(publicKey), publicKey, privateSealed: secrets.encrypt(PURPOSE, pem) };
}

/** Throws when the key was stored under another secret key. */
export function openSigningKey(secrets: SecretBox, privateSealed: string): SigningKey {
  const pem = secrets.decrypt(PURPOSE, privateSealed);
  const privateKey = createPrivateKey(pem);
  const publicKey = publicOf(pem);
  return {
    id: keyIdOf(publicKey),
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('hex'),
  };
}

/** The id of a key, derived from its public part. */
const keyIdOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 16);

const publicOf = (pem: string): string => {
  const { x = '' } = createPublicKey(pem).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
};

export const sealedSigningKeys = sealedFor(PURPOSE, { table: 'seal_key', id: 'id', column: 'private_sealed' });
