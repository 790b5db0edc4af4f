import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import {
  type AccessToken,
  type ChannelTarget,
  ChannelUnusable,
  TOKEN_REFUSED,
  type TokenExchange,
} from '../adapter.js';
import { parseObject, textOf } from '../json/json.js';

const DEFAULT_TOKEN_URI = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Lifetime in seconds of the assertion we sign; Google accepts an hour at most. */
const ASSERTION_SECONDS = 35 * 60;
const DEFAULT_LIFETIME_SECONDS = 3600;

/** Contents of Google's key file for a service account. */
interface ServiceAccount {
  projectId: string;
  clientEmail: string;
  privateKey: string;
  privateKeyId: string;
  tokenUri: string;
}

/** Validated, because the project id becomes part of the path. */
const PROJECT = /^[a-z0-9][a-z0-9.:-]*$/i;
/** What a header may contain. */
const TOKEN = /^[!-~]+$/;
const PEM = /^-----BEGIN PRIVATE KEY-----\s[\s\S]+-----END PRIVATE KEY-----\s*$/;

const required = { project_id: PROJECT, client_email: /^[^\s@]+@[^\s@]+$/, private_key: PEM } as const;

/** Checks a service account's key file: the name of the faulty member, or `json`; `undefined` if it is valid. */
export function serviceAccountFault(key: string): string | undefined {
  const json = parseObject(key);
  if (!json) return 'json';
  const missing = Object.entries(required).find(([name, form]) => !form.test(textOf(json[name])));
  if (missing) return missing[0];
  const { token_uri: uri } = json;
  return uri === undefined || (URL.canParse(textOf(uri)) && /^https?:/.test(textOf(uri))) ? undefined : 'token_uri';
}

/** Parsed key files by text, so that not every request parses its channel's file. */
const known = new Map<string, ServiceAccount>();
const MOST_KNOWN = 200;

/** Throws `ChannelUnusable` for a key that is not such a file. */
export function serviceAccountOf(key: string): ServiceAccount {
  let account = known.get(key);
  if (!account) {
    account = readAccount(key);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, account);
  }
  return account;
}

function readAccount(key: string): ServiceAccount {
  const fault = serviceAccountFault(key);
  if (fault !== undefined)
    throw new ChannelUnusable('channel:invalid_key', `the key is no JSON file of a service account: ${fault}`);
  const json = parseObject(key) ?? {};
  return {
    projectId: textOf(json.project_id),
    clientEmail: textOf(json.client_email),
    privateKey: textOf(json.private_key),
    privateKeyId: textOf(json.private_key_id),
    tokenUri: textOf(json.token_uri) || DEFAULT_TOKEN_URI,
  };
}

async function assertionOf(account: ServiceAccount, nowMs: number): Promise<string> {
  const seconds = Math.floor(nowMs / 1000);
  const key = await importPKCS8(account.privateKey, 'RS256').catch(() => {
    throw new ChannelUnusable('channel:invalid_key', 'the private key of the service account cannot be read');
  });
  const header = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId && { kid: account.privateKeyId }) };
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader(header)
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ASSERTION_SECONDS)
    .sign(key);
}

function tokenIn({ status, body }: { status: number; body: Buffer }): AccessToken {
  const json = parseObject(body.toString('utf8')) ?? {};
  const token = textOf(json.access_token);
  if (status < 300 && TOKEN.test(token)) {
    const seconds = Number(json.expires_in);
    return { token, lifetimeMs: (seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS) * 1000 };
  }
  const words = textOf(json.error_description) || textOf(json.error) || `status ${status}`;
  const isRefused = status === 400 || status === 401 || status === 403;
  throw new ChannelUnusable(
    isRefused ? TOKEN_REFUSED : 'channel:no_token',
    `no access token for the service account: ${words}`,
    isRefused ? 'credential' : 'upstream',
  );
}

/** A digest of the key and of the proxy used for the exchange, so that a changed key or proxy never gets an older token. */
const idOf = ({ key, setting }: ChannelTarget): string =>
  createHash('sha256')
    .update(JSON.stringify(['vertex', key, setting.proxy]))
    .digest('base64url');

/**
 * Exchanges an assertion signed with the account's key for a Google token;
 * https://developers.google.com/identity/protocols/oauth2/service-account.
 */
export function vertexToken(target: ChannelTarget): TokenExchange {
  const account = serviceAccountOf(target.key);
  return {
    id: idOf(target),
    proxy: typeof target.setting.proxy === 'string' ? target.setting.proxy : '',
    buildRequest: async () => ({
      method: 'POST',
      url: account.tokenUri,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: Buffer.from(
        new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await assertionOf(account, target.nowMs) }).toString(),
      ),
    }),
    read: tokenIn,
  };
}
