import { createPublicKey, verify } from 'node:crypto';

/** The head of a public key of Ed25519 in DER; its 32 bytes follow. */
const DER = Buffer.from('302a300506032b6570032100', 'hex');
const KEY = /^[0-9a-f]{64}$/i;

/** False also for what is no key. */
export function isSignedBy(publicKey: string, { text, signature }: { text: string; signature: string }): boolean {
  if (!KEY.test(publicKey)) return false;
  const key = createPublicKey({
    key: Buffer.concat([DER, Buffer.from(publicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
}
