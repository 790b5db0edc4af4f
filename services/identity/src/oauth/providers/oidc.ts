import { Injectable } from '@nestjs/common';
import { AppError, Clock, growingCache, Logger, OptionStore, OutboundClient } from '@tollgate/chassis';
import * as client from 'openid-client';
import { isAccountId, type ProviderAccount } from '../provider-account.js';
import { providerRefused } from '../provider-calls.js';

const UNREACHABLE = '无法连接至 OIDC 服务器，请稍后重试！';
const NO_TOKEN = 'OIDC 获取 Token 失败，请检查设置！';
const NO_USER = 'OIDC 获取用户信息失败！请检查设置！';
const EMPTY = 'OIDC 获取用户信息为空！请检查设置！';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const REMEMBERED_MS = 10 * 60_000;
const FAILURE_MS = 60_000;
const SCOPE = 'openid profile email';
const JSON_TYPE = 'application/json';

/**
 * Issuer used when there is no discovery document. The issuer of an identity token cannot be verified then, so identity
 * tokens are ignored and the user info, fetched from the provider directly, is the proof.
 */
const UNKNOWN_ISSUER = 'https://unknown.invalid';

/** What the callback is checked against; stored when the browser is sent to the provider. */
interface OidcChecks {
  state: string;
  redirectUri: string;
  verifier?: string;
  nonce?: string;
}

interface Discovered {
  metadata: client.ServerMetadata;
  /** In monotonic milliseconds. */
  until: number;
}

/** Any OpenID Connect provider, set up by its discovery document or by the three endpoint options. */
@Injectable()
export class Oidc {
  /** By address of a discovery document: what it said last, and until when it is not read again. */
  private readonly discovered = growingCache<string, Discovered>({ most: 4 });
  private readonly running = new Map<string, Promise<Discovered>>();
  /** By address of a discovery document that could not be read: until when it is not asked for again. */
  private readonly failedUntil = growingCache<string, number>({ most: 4 });

  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  async authorizeUrl({ state, redirectUri, verifier, nonce }: Required<OidcChecks>): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.metadata();
    if (!endpoint || !isPage(endpoint)) throw providerRefused(UNREACHABLE);
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.options.get('oidc.client_id'),
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.toString();
  }

  async accountOf(code: string, iss: string, checks: OidcChecks): Promise<ProviderAccount> {
    const metadata = await this.metadata();
    const knowsIssuer = metadata.issuer !== UNKNOWN_ISSUER;
    const config = this.configuration({
      ...metadata,
      // Callers of the documented exchange pass on only code and state, so `iss` is compared only when it is there.
      authorization_response_iss_parameter_supported: knowsIssuer && iss !== '',
    });
    const returned = new URL(checks.redirectUri);
    const parameters = { code, state: checks.state, ...(knowsIssuer && iss !== '' && { iss }) };
    for (const [name, value] of Object.entries(parameters)) returned.searchParams.set(name, value);
    const tokens = await this.answered(NO_TOKEN, () =>
      client.authorizationCodeGrant(config, returned, {
        expectedState: checks.state,
        ...(checks.verifier !== undefined && { pkceCodeVerifier: checks.verifier }),
        ...(knowsIssuer && checks.nonce !== undefined && { expectedNonce: checks.nonce, idTokenExpected: true }),
      }),
    );
    const claims = tokens.claims();
    const user = await this.answered(
      (error) => (lacksSubject(error) ? EMPTY : NO_USER),
      () => client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? client.skipSubjectCheck),
    );
    const email = textIn(user.email);
    if (!isAccountId(user.sub) || !email) throw providerRefused(EMPTY);
    return {
      id: user.sub,
      username: textIn(user.preferred_username),
      displayName: textIn(user.name),
      email: user.email_verified === true ? email : undefined,
    };
  }

  /**
   * The discovery document, overridden by the endpoints that the operator has entered. When it cannot be read, what it
   * said last still counts. With all endpoints entered it may be missing altogether, because the documented server does
   * not read it. A failure is remembered, because it can take until the timeout.
   */
  private async metadata(): Promise<client.ServerMetadata> {
    const entered = {
      authorization_endpoint: this.options.get('oidc.authorization_endpoint'),
      token_endpoint: this.options.get('oidc.token_endpoint'),
      userinfo_endpoint: this.options.get('oidc.user_info_endpoint'),
    };
    const set = Object.entries(entered).filter(([, value]) => value !== '');
    const endpoints = Object.fromEntries(set);
    const alone = { issuer: UNKNOWN_ISSUER, ...endpoints };
    const document = this.options.get('oidc.well_known');
    if (document === '') return alone;
    const now = this.clock.monotonic();
    const known = this.discovered.get(document);
    const fallback = known ? { ...known.metadata, ...endpoints } : alone;
    const mayFail = known !== undefined || set.length === Object.keys(entered).length;
    if (now < (known?.until ?? 0) || (mayFail && now < (this.failedUntil.get(document) ?? 0))) return fallback;
    try {
      return { ...(await this.discover(document)).metadata, ...endpoints };
    } catch (error) {
      if (!mayFail) throw error;
      this.failedUntil.set(document, now + FAILURE_MS);
      return fallback;
    }
  }

  /** Sign-ins at the same time wait for the same answer. */
  private discover(document: string): Promise<Discovered> {
    const running = this.running.get(document);
    if (running) return running;
    const discovery = this.read(document).finally(() => this.running.delete(document));
    this.running.set(document, discovery);
    return discovery;
  }

  private async read(document: string): Promise<Discovered> {
    const config = await this.answered(UNREACHABLE, () =>
      client.discovery(new URL(document), this.options.get('oidc.client_id'), undefined, undefined, {
        [client.customFetch]: (url, init) => this.fetch(url, init),
        execute: [client.allowInsecureRequests],
      }),
    );
    const found = { metadata: config.serverMetadata(), until: this.clock.monotonic() + REMEMBERED_MS };
    this.discovered.set(document, found);
    return found;
  }

  private configuration(metadata: client.ServerMetadata): client.Configuration {
    const [id, secret] = [this.options.get('oidc.client_id'), this.options.get('oidc.client_secret')];
    if (id === '' || secret === '') throw providerRefused(NO_TOKEN);
    const methods = metadata.token_endpoint_auth_methods_supported;
    const byForm = methods === undefined || methods.includes('client_secret_post');
    const config = new client.Configuration(
      metadata,
      id,
      undefined,
      byForm ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret),
    );
    config[client.customFetch] = async (url, init) => {
      const reply = await this.fetch(url, init);
      // Only the token endpoint is called by POST; the user info may have a claim called `access_token`.
      if (init.method === 'POST') return withTokenType(reply, metadata.issuer !== UNKNOWN_ISSUER);
      return metadata.issuer === UNKNOWN_ISSUER ? asJson(reply) : reply;
    };
    client.allowInsecureRequests(config);
    if (metadata.jwks_uri) client.enableNonRepudiationChecks(config);
    return config;
  }

  /** Uses the guarded client, like every request to an address that an administrator can set. */
  private async fetch(url: string, { method, headers, body }: client.CustomFetchOptions): Promise<Response> {
    const reply = await this.outbound.send({
      kind: 'admin',
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: { 'user-agent': 'Tollgate', ...headers },
      ...(body != null && { body: textOf(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const type = reply.headers['content-type'];
    return new Response(new Uint8Array(reply.body), {
      status: reply.status,
      headers: { 'content-type': typeof type === 'string' ? type : JSON_TYPE },
    });
  }

  /** Turns any failure into the documented message; the cause goes to the log. */
  private async answered<T>(refusal: string | ((error: unknown) => string), call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      const cause = outboundRefusal(error);
      this.logger.warn('an OIDC provider did not answer as it should', { error });
      const message = typeof refusal === 'string' ? refusal : refusal(error);
      throw new AppError('upstream', 'provider-refused', cause ? UNREACHABLE : message, { cause: error });
    }
  }
}

/**
 * A page of the console navigates the browser to this address, where e.g. a `javascript:` URL would run as a script.
 */
const isPage = (address: string): boolean => /^https?:\/\//i.test(address) && URL.canParse(address);

/**
 * The reply of the token endpoint, which may be a small server of the operator's own: with the content type and the type
 * of token that such servers leave out. Without the identity token if the issuer is unknown, because it cannot be
 * verified then.
 */
async function withTokenType(reply: Response, knowsIssuer: boolean): Promise<Response> {
  const text = await reply.text();
  const body = objectIn(text);
  if (typeof body?.access_token !== 'string') return jsonReply(text, reply);
  const { access_token, token_type, id_token } = body;
  const tokens = { access_token, token_type: token_type || 'Bearer', ...(knowsIssuer && { id_token }) };
  return jsonReply(JSON.stringify(tokens), reply);
}

/** A user info with the content type of JSON, unless it is signed. */
const asJson = async (reply: Response): Promise<Response> =>
  reply.headers.get('content-type')?.startsWith('application/jwt') ? reply : jsonReply(await reply.text(), reply);

const jsonReply = (text: string, { status }: Response): Response =>
  new Response(text, { status, headers: { 'content-type': JSON_TYPE } });

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (body: unknown): string =>
  body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '';

/** The `AppError` of the guarded client, which is somewhere in the cause chain of the library's error. */
function outboundRefusal(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof AppError) return cause;
  return undefined;
}

/** A claim of the user info, which the library passes on unchecked. */
const textIn = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim : undefined;

/**
 * Whether a call failed because the user info, which the library puts into its error, names nobody. The error of a reply
 * with another status than 200 has the reply itself there, whose body is a stream.
 */
function lacksSubject(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.cause instanceof Response) return false;
    const { body } = (cause.cause ?? {}) as { body?: { sub?: unknown } };
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return (body.sub ?? '') === '';
  }
  return false;
}
