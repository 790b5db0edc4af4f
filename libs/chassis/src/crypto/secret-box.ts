import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const VERSION = 'v1';

/**
 * Encrypts secrets at rest (AES-256-GCM) and makes keyed hashes. Every purpose has a key of its own, derived by HKDF
 * from TOLLGATE_SECRET_KEY with the purpose as label, so that no ciphertext or hash of one serves another.
 */
export class SecretBox {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly secret: string) {
    if (secret.length < 32) throw new Error('TOLLGATE_SECRET_KEY needs at least 32 characters.');
  }

  encrypt(purpose: string, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [
      VERSION,
      nonce.toString('base64url'),
      cipher.getAuthTag().toString('base64url'),
      sealed.toString('base64url'),
    ].join('.');
  }

  /** Throws when the text was not sealed with this secret and purpose. */
  decrypt(purpose: string, sealed: string): string {
    const [version, nonce, tag, body] = sealed.split('.');
    if (version !== VERSION || nonce === undefined || tag === undefined || body === undefined)
      throw new Error(`Not a sealed ${purpose}.`);
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(purpose), Buffer.from(nonce, 'base64url'));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
  }

  /** Hex; finds a secret without storing it. */
  hmac(purpose: string, text: string): string {
    return createHmac('sha256', this.keyOf(purpose)).update(text).digest('hex');
  }

  /** `payload.signature`, both URL-safe; the payload is readable. */
  sign(purpose: string, payload: object): string {
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${body}.${createHmac('sha256', this.keyOf(purpose)).update(body).digest('base64url')}`;
  }

  /** The payload, or undefined when the signature is not ours. Expiry is the caller's business. */
  verify(purpose: string, signed: string): unknown {
    const dot = signed.lastIndexOf('.');
    if (dot < 1) return undefined;
    const body = signed.slice(0, dot);
    const expected = createHmac('sha256', this.keyOf(purpose)).update(body).digest();
    const given = Buffer.from(signed.slice(dot + 1), 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    try {
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
    } catch {
      return undefined;
    }
  }

  private keyOf(purpose: string): Buffer {
    let key = this.keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.secret, 'tollgate', purpose, 32));
      this.keys.set(purpose, key);
    }
    return key;
  }
}
