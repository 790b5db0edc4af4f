import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { dialects } from '../all-dialects.js';
import type { JsonObject } from '../dialects.js';
import { geminiDialect, limitIn, promptOf } from './gemini.js';
import { type Native, type NativeCall, type NativeError, type NativeReply, textIn } from './native.js';

const VERTEX_PROJECT = 'fake-project';
const EMAIL = `tollgate@${VERTEX_PROJECT}.iam.gserviceaccount.com`;
const TOKEN_PATH = '/vertex/token';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFETIME_SECONDS = 3599;

let pair: { privateKey: string; publicKey: KeyObject } | undefined;

function keys() {
  if (!pair) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    pair = {
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: createPublicKey(privateKey),
    };
  }
  return pair;
}

/** A service account file whose tokens the fake upstream at `origin` issues. Its key is generated once per process. */
export const vertexKey = (origin: string, details: JsonObject = {}): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: VERTEX_PROJECT,
    private_key_id: 'fake-key-1',
    private_key: keys().privateKey,
    client_email: EMAIL,
    client_id: '100000000000000000000',
    auth_uri: `${origin}/vertex/auth`,
    token_uri: origin + TOKEN_PATH,
    ...details,
  });

const partOf = (text: string | undefined): JsonObject =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8')) as JsonObject;

/** The error that Google would report for a signed assertion; undefined for a valid one. */
export function assertionFault(assertion: string, audience: string): string | undefined {
  const [head, payload, signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${head}.${payload}`);
  if (!verify('RSA-SHA256', signed, keys().publicKey, Buffer.from(signature, 'base64url')))
    return 'Invalid JWT Signature.';
  const { iss, aud, scope, iat, exp } = partOf(payload);
  if (iss !== EMAIL || aud !== audience) return 'Invalid JWT: issuer or audience.';
  if (!textIn(scope).includes('/auth/cloud-platform')) return 'Invalid OAuth scope.';
  const now = Date.now() / 1000;
  const isTimely = Number(iat) <= now + 60 && Number(exp) > now && Number(exp) - Number(iat) <= 3600;
  return isTimely ? undefined : 'Invalid JWT: Token must be a short-lived token (60 minutes).';
}

const tokenOf = (assertion: string): string => `ya29.${createHash('sha256').update(assertion).digest('base64url')}`;
const issued = new Set<string>();

/** Makes all tokens issued so far invalid. */
export const revokeVertexTokens = (): void => issued.clear();

function exchange({ bytes, origin }: NativeCall): NativeReply {
  const form = new URLSearchParams(bytes.toString('utf8'));
  const assertion = form.get('assertion') ?? '';
  const fault =
    form.get('grant_type') === GRANT_TYPE
      ? assertionFault(assertion, origin + TOKEN_PATH)
      : 'Invalid grant_type: unsupported.';
  if (fault !== undefined) return { status: 400, json: { error: 'invalid_grant', error_description: fault } };
  const token = tokenOf(assertion);
  issued.add(token);
  return { status: 200, json: { access_token: token, expires_in: LIFETIME_SECONDS, token_type: 'Bearer' } };
}

const PREDICT = /\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/(google|anthropic)\/models\/([^/:]+):(\w+)$/;
const OPEN = /\/v1beta1\/projects\/([^/]+)\/locations\/([^/]+)\/endpoints\/openapi\/chat\/completions$/;

const unauthenticated: NativeError = {
  status: 401,
  message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
  type: 'authentication_error',
  code: '401',
};

/** Google Vertex AI: access tokens in exchange for a signed assertion, and models of three publishers. */
export const vertex: Native = (call) => {
  const { url, headers, json } = call;
  if (url.pathname.endsWith(TOKEN_PATH)) return exchange(call);
  if (url.pathname === '/vertex/key') return { status: 200, json: JSON.parse(vertexKey(call.origin)) as JsonObject };
  const refusal = issued.has((headers.authorization ?? '').replace(/^Bearer /, '')) ? undefined : unauthenticated;
  if (OPEN.test(url.pathname)) {
    const { model, stream, max_tokens: limit } = json;
    return { dialect: dialects.chat, model: textIn(model), isStream: stream === true, prompt: json, limit, refusal };
  }
  const [, , , publisher, model = '', method = ''] = PREDICT.exec(url.pathname) ?? [];
  if (publisher === undefined) return undefined;
  const known = { model: decodeURIComponent(model), isStream: method.startsWith('stream'), refusal };
  if (publisher === 'google') return { ...known, dialect: geminiDialect, prompt: promptOf(json), limit: limitIn(json) };
  return { ...known, dialect: dialects.messages, prompt: json, limit: json.max_tokens };
};
