import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import {
  type OidcStandIn,
  SIGN_IN_CLIENT,
  type SignInStandIns,
  startOidcProvider,
  startSignInStandIns,
} from '@tollgate/testing';
import { ProviderAddresses } from '../src/oauth/providers/addresses.js';
import { User } from '../src/user/user.entity.js';
import { Turnstile } from '../src/verification/turnstile.js';
import { type Account, type Answer, setUp, type TestBed, startIdentity } from './test-bed.js';

export const CALLBACK = 'http://localhost:3000/oauth/oidc';
export const BOT = '42:secret';

export const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie']).split(';')[0] ?? '';
export const idOf = (answer: Answer): number => (answer.body.data as { id: number }).id;

/** An installation with stand-ins for all identity providers; each method is still switched off. */
export class OAuthWorld {
  testBed!: TestBed;
  root!: Account;
  oidc!: OidcStandIn;
  others!: SignInStandIns;

  async open(): Promise<void> {
    [this.oidc, this.others] = await Promise.all([
      startOidcProvider({ redirectUris: [CALLBACK] }),
      startSignInStandIns(),
    ]);
    const { oidc, others } = this;
    this.testBed = await startIdentity({ TOLLGATE_OUTBOUND_ALLOW: 'localhost', TOLLGATE_RATE_LIMITS: 'off' });
    this.root = await setUp(this.testBed);
    const addresses = { github: others.url, githubApi: others.url, linuxdo: others.url };
    Object.assign(this.testBed.own(ProviderAddresses), addresses);
    this.testBed.own(Turnstile).address = others.url;
    const { id, secret } = SIGN_IN_CLIENT;
    const options: [string, string][] = [
      ['ServerAddress', 'http://localhost:3000'],
      ['GitHubClientId', id],
      ['GitHubClientSecret', secret],
      ['LinuxDOClientId', id],
      ['LinuxDOClientSecret', secret],
      ['WeChatServerAddress', others.url],
      ['WeChatServerToken', secret],
      ['TelegramBotToken', BOT],
      ['oidc.client_id', oidc.clientId],
      ['oidc.client_secret', oidc.clientSecret],
      ['oidc.well_known', oidc.wellKnown],
    ];
    for (const [key, value] of options) await this.put(key, value);
  }

  async close(): Promise<void> {
    await this.testBed?.stop();
    await Promise.all([this.oidc?.close(), this.others?.close()]);
  }

  async put(key: string, value: string): Promise<void> {
    const { body } = await this.testBed.request('PUT', '/api/option/', { as: this.root, body: { key, value } });
    expect(body).toEqual({ success: true, message: '' });
  }

  get(path: string, query: Record<string, string>, cookie = '', as?: Account): Promise<Answer> {
    return this.testBed.request('GET', path, { query, headers: { cookie }, as });
  }

  /** A cookie and a state from the documented call. */
  async visit(aff = ''): Promise<{ cookie: string; state: string }> {
    const answer = await this.get('/api/oauth/state', { aff });
    return { cookie: cookieOf(answer), state: String(answer.body.data) };
  }

  userOf(id: number): Promise<User> {
    return this.testBed.em().findOneOrFail(User, { id });
  }
}

/** A server that answers each path with the reply set for it, without a content type, as small home-made providers do. */
export async function startPlainProvider() {
  const replies: Record<string, object | string> = {};
  /** The status of replies to `GET`. */
  const plain = { status: 200, replies };
  const server = createServer((request, response) => {
    const reply = replies[new URL(request.url ?? '/', 'http://plain').pathname.slice(1)] ?? '';
    response.statusCode = request.method === 'GET' ? plain.status : 200;
    request.resume().on('end', () => response.end(typeof reply === 'string' ? reply : JSON.stringify(reply)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  return Object.assign(plain, { url: `http://localhost:${(server.address() as AddressInfo).port}`, close });
}
