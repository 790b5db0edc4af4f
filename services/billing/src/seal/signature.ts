import { createPublicKey, verify } from 'node:crypto';

/** DER prefix of an Ed25519 public key; the 32 bytes of the key follow. */
const DER = Buffer.from('302a300506032b6570032100', 'hex');
const KEY = /^[0-9a-f]{64}$/i;

/** False for an invalid key, too. */
export function isSignedBy(publicKey: string, { text, signature }: { text: string; signature: string }): boolean {
  if (!KEY.test(publicKey)) return false;
  const key = createPublicKey({
    key: Buffer.concat([DER, Buffer.from(publicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
}
