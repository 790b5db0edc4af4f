import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const VERSION = 'v1';
const ID_LENGTH = 12;

/** Secrets that are accepted beside the one in use while the secret key is being replaced. */
export interface OtherSecrets {
  /** The secret that was in use before the current one. */
  previous?: string | undefined;
  /** The secret that will be in use after the current one. */
  next?: string | undefined;
}

/** No accepted secret sealed the text for this purpose. */
export class Unopened extends Error {
  override readonly name = 'Unopened';
}

/**
 * Encrypts secrets at rest (AES-256-GCM) and computes keyed hashes. Every purpose has its own key, derived by HKDF from TOLLGATE_SECRET_KEY
 * with the purpose as label, so that a ciphertext or hash made for one purpose is useless for another.
 *
 * While the secret is being replaced, two are set: new ciphertexts and hashes use the one in use, and those of either are accepted. A
 * ciphertext ends with the id of its secret. Ciphertexts of older releases carry no id, so every secret is tried on them.
 */
export class SecretBox {
  /** The secret in use comes first. */
  private readonly secrets: Secret[];
  private readonly current: Secret;
  /** The secret that was in use before the replacement now under way, else the current one. */
  private readonly eldest: Secret;

  constructor(secret: string, { previous, next }: OtherSecrets = {}) {
    this.current = new Secret(secret, 'TOLLGATE_SECRET_KEY');
    const before = previous === undefined ? undefined : new Secret(previous, 'TOLLGATE_SECRET_KEY_PREVIOUS');
    const after = next === undefined ? undefined : new Secret(next, 'TOLLGATE_SECRET_KEY_NEXT');
    this.eldest = before ?? this.current;
    const all = [this.current, before, after].filter((one) => one !== undefined);
    this.secrets = all.filter(({ id }, index) => all.findIndex((other) => other.id === id) === index);
  }

  /** Identifies the secret in use. The id is not confidential. */
  get keyId(): string {
    return this.current.id;
  }

  /** Ids of all secrets that are accepted, the one in use first. */
  get keyIds(): string[] {
    return this.secrets.map(({ id }) => id);
  }

  encrypt(purpose: string, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.current.keyOf(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'));
    // Older releases read the first four parts and ignore the fifth, so they can open what is sealed here.
    return [VERSION, ...parts, this.current.id].join('.');
  }

  /** Throws `Unopened` when no accepted secret sealed the text for this purpose. */
  decrypt(purpose: string, sealed: string): string {
    return this.open(purpose, sealed).text;
  }

  /** The decrypted text; `undefined` when none of the configured secrets opens it. */
  tryDecrypt(purpose: string, sealed: string): string | undefined {
    try {
      return this.decrypt(purpose, sealed);
    } catch {
      return undefined;
    }
  }

  /** The decrypted text and the id of the secret that sealed it. Throws as `decrypt` does. */
  open(purpose: string, sealed: string): { text: string; keyId: string } {
    const [version, nonce, tag, body, id] = sealed.split('.');
    if (version !== VERSION || nonce === undefined || tag === undefined || body === undefined)
      throw new Unopened(`Not a sealed ${purpose}.`);
    const named = id === undefined ? this.secrets : this.secrets.filter((secret) => secret.id === id);
    let fault = new Unopened(`This ${purpose} was sealed with the secret key ${id}, which is not set here.`);
    for (const secret of named) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', secret.keyOf(purpose), Buffer.from(nonce, 'base64url'));
        decipher.setAuthTag(Buffer.from(tag, 'base64url'));
        const opened = Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]);
        return { text: opened.toString('utf8'), keyId: secret.id };
      } catch (cause) {
        fault = new Unopened(`This ${purpose} does not open with its secret key.`, { cause });
      }
    }
    throw fault;
  }

  /** Hex HMAC with the secret in use, or with the one named by `keyId`; serves to look up a secret value without storing it. */
  hmac(purpose: string, text: string, keyId = this.current.id): string {
    const secret = this.secrets.find(({ id }) => id === keyId) ?? this.current;
    return secret.hmac(purpose, text);
  }

  /** The hashes by all accepted secrets, the one in use first: a stored hash may have been made with any of them. */
  hmacs(purpose: string, text: string): string[] {
    return this.secrets.map((secret) => secret.hmac(purpose, text));
  }

  /** Hex: the key with which hashes of this purpose were made before the secret was first replaced. Callers must store it sealed. */
  eldestKeyOf(purpose: string): string {
    return this.eldest.keyOf(purpose).toString('hex');
  }

  /** Returns `payload.signature`, both base64url. The payload is signed, not encrypted. */
  sign(purpose: string, payload: object): string {
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${body}.${this.current.signature(purpose, body).toString('base64url')}`;
  }

  /** The payload, or `undefined` when the signature is invalid. The caller checks expiry. */
  verify(purpose: string, signed: string): unknown {
    const dot = signed.lastIndexOf('.');
    if (dot < 1) return undefined;
    const body = signed.slice(0, dot);
    const given = Buffer.from(signed.slice(dot + 1), 'base64url');
    if (!this.secrets.some((secret) => isSame(given, secret.signature(purpose, body)))) return undefined;
    try {
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
    } catch {
      return undefined;
    }
  }
}

const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/** A secret from the environment, with the keys derived from it. */
class Secret {
  readonly id: string;
  private readonly keys = new Map<string, Buffer>();

  constructor(
    private readonly secret: string,
    name: string,
  ) {
    if (secret.length < 32) throw new Error(`${name} needs at least 32 characters.`);
    this.id = this.keyOf('key-id').toString('hex').slice(0, ID_LENGTH);
  }

  keyOf(purpose: string): Buffer {
    let key = this.keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.secret, 'tollgate', purpose, 32));
      this.keys.set(purpose, key);
    }
    return key;
  }

  hmac(purpose: string, text: string): string {
    return this.signature(purpose, text).toString('hex');
  }

  signature(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.keyOf(purpose)).update(text).digest();
  }
}
