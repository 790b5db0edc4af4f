import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

interface Creation {
  challenge: string;
  rp: { id?: string };
  user: { id: string };
}
interface Request {
  challenge: string;
  rpId?: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;
const ES256 = -7;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer): string => data.toString('base64url');

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 0xff]);
}

/** Encodes the subset of CBOR that an authenticator uses. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])]);
}

/**
 * A software authenticator with one passkey (WebAuthn level 2, ES256, no attestation). It replies as a browser would.
 */
export class SoftAuthenticator {
  /** Signature counter; a test sets it back to act as a cloned authenticator. */
  counter = 0;
  readonly id = base64url(randomBytes(16));
  private key?: KeyObject;
  private userHandle = '';

  constructor(readonly origin: string) {}

  /** The JSON of what a browser returns from `navigator.credentials.create`. */
  create({ challenge, rp, user }: Creation, flags = USER_PRESENT | USER_VERIFIED) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.key = privateKey;
    this.userHandle = user.id;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const cose = new Map<number, Cbor>([
      [1, 2],
      [3, ES256],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const authData = Buffer.concat([this.data(rp.id, flags | ATTESTED), Buffer.alloc(16), length, id, cbor(cose)]);
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, Cbor>()],
      ['authData', authData],
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', challenge),
      attestationObject: base64url(cbor(attestation)),
      transports: ['internal'],
    });
  }

  /** The JSON of what a browser returns from `navigator.credentials.get`. */
  get({ challenge, rpId }: Request, flags = USER_PRESENT | USER_VERIFIED) {
    if (!this.key) throw new Error('this authenticator has no passkey yet');
    this.counter += 1;
    const authData = this.data(rpId, flags);
    const clientDataJSON = this.clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.credential({
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: base64url(createSign('sha256').update(signed).sign(this.key)),
      userHandle: this.userHandle,
    });
  }

  private credential<Response extends object>(response: Response) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  private data(rpId = new URL(this.origin).hostname, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  private clientData(type: string, challenge: string): string {
    return base64url(Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false })));
  }
}
