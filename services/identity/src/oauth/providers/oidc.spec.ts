import { describe, expect, it } from '@jest/globals';
import { AppError, Clock, type Logger, type OptionStore, type OutboundClient } from '@tollgate/chassis';
import { Oidc } from './oidc.js';

const ISSUER = 'https://id.example.com';
const visit = {
  state: 'state',
  redirectUri: 'https://gate.example.com/oauth/oidc',
  verifier: 'v'.repeat(43),
  nonce: 'n',
};

/** A provider whose authorization endpoint is the given address. */
const providerWith = (endpoint: string): Oidc =>
  oidcWith({}, { 'openid-configuration': { issuer: ISSUER, authorization_endpoint: endpoint } });

/** What a provider was asked and told, and a clock that the test moves. */
function observed() {
  const clock = new Clock();
  const seen = { now: 0, warnings: 0, asked: [] as string[], clock };
  clock.monotonic = () => seen.now;
  return seen;
}

function oidcWith(
  entered: Record<string, string>,
  replies: Record<string, object | string | undefined>,
  seen = observed(),
): Oidc {
  const texts: Record<string, string> = {
    'oidc.client_id': 'gate',
    'oidc.client_secret': 'secret',
    'oidc.well_known': `${ISSUER}/.well-known/openid-configuration`,
    ...entered,
  };
  const options = { get: (key: string) => texts[key] ?? '' };
  const outbound = {
    send: ({ url }: { url: string }) => {
      const path = url.split('/').pop() ?? '';
      seen.asked.push(path);
      const reply = replies[path];
      if (reply === undefined) return Promise.reject(new AppError('upstream', 'unreachable', 'unreachable'));
      const body = Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply));
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
    },
  };
  const logger = { warn: () => (seen.warnings += 1) };
  return new Oidc(
    options as OptionStore,
    outbound as unknown as OutboundClient,
    logger as unknown as Logger,
    seen.clock,
  );
}

describe('the authorization address of OIDC', () => {
  it('is taken from the discovery document, with state, nonce and the PKCE challenge', async () => {
    const url = new URL(await providerWith(`${ISSUER}/auth?tenant=1`).authorizeUrl(visit));
    expect(url.origin + url.pathname).toBe(`${ISSUER}/auth`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{ tenant: '1', client_id: 'gate', state: 'state', nonce: 'n', code_challenge_method: 'S256' },
    });
  });

  it.each([
    'javascript:alert(1)//',
    'data:text/html,<script>alert(1)</script>',
    'ftp://id.example.com/auth',
    'auth',
    '',
  ])('is refused when the provider states %j, which is no page on the web', async (endpoint) => {
    await expect(providerWith(endpoint).authorizeUrl(visit)).rejects.toThrow('无法连接至 OIDC 服务器，请稍后重试！');
  });
});

describe('the exchange with an OIDC provider', () => {
  const entered = {
    'oidc.authorization_endpoint': `${ISSUER}/auth`,
    'oidc.token_endpoint': `${ISSUER}/token`,
    'oidc.user_info_endpoint': `${ISSUER}/me`,
  };
  const wellKnown = { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, userinfo_endpoint: `${ISSUER}/me` };
  const person = { sub: 'u-1', email: 'u1@provider.example' };
  /** Each reply by the last part of its address; one that is not there cannot be reached. */
  const replies = { me: person, token: { access_token: 'plain' } };
  const accountOf = (oidc: Oidc) => oidc.accountOf('code', '', { state: visit.state, redirectUri: visit.redirectUri });

  it('needs no type of the token, which small servers leave out', async () => {
    const oidc = oidcWith({}, { ...replies, 'openid-configuration': wellKnown });
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
  });

  it.each([
    ['cannot be reached', undefined],
    ['names no issuer', { token_endpoint: `${ISSUER}/token` }],
    ['is a page', '<html>'],
  ])('uses the entered endpoints when the discovery document %s', async (_, document) => {
    const oidc = oidcWith(entered, { ...replies, 'openid-configuration': document });
    expect(await oidc.authorizeUrl(visit)).toContain(`${ISSUER}/auth?`);
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
    const lacking = oidcWith({ ...entered, 'oidc.token_endpoint': '' }, { 'openid-configuration': document });
    await expect(accountOf(lacking)).rejects.toThrow('无法连接至 OIDC 服务器，请稍后重试！');
  });

  it('asks once a minute for a discovery document that cannot be read, if all endpoints are entered', async () => {
    const seen = observed();
    const reached: Record<string, object | string | undefined> = { ...replies };
    const oidc = oidcWith(entered, reached, seen);
    const asked = () => seen.asked.filter((path) => path === 'openid-configuration').length;
    await oidc.authorizeUrl(visit);
    expect([asked(), seen.warnings]).toEqual([1, 1]);
    seen.now = 59_999;
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
    expect([asked(), seen.warnings]).toEqual([1, 1]);
    seen.now = 60_000;
    reached['openid-configuration'] = wellKnown;
    reached['token'] = { ...replies.token, id_token: 'x.y.z' };
    await expect(accountOf(oidc)).rejects.toThrow('OIDC 获取 Token 失败，请检查设置！');
    expect(asked()).toBe(2);
  });

  it.each([
    ['all endpoints are entered', entered],
    ['none is', {}],
  ])('still verifies by what the document said last, when it cannot be read any more and %s', async (_, options) => {
    const seen = observed();
    const reached: Record<string, object | string | undefined> = { ...replies, 'openid-configuration': wellKnown };
    const oidc = oidcWith(options, reached, seen);
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
    seen.now = 10 * 60_000;
    reached['openid-configuration'] = undefined;
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
    reached['token'] = { ...replies.token, id_token: 'x.y.z' };
    await expect(accountOf(oidc)).rejects.toThrow('OIDC 获取 Token 失败，请检查设置！');
    expect(seen.asked.filter((path) => path === 'openid-configuration')).toHaveLength(2);
  });

  it('asks again at once for a discovery document without which nobody can sign in', async () => {
    const reached: Record<string, object | string | undefined> = { ...replies };
    const oidc = oidcWith({}, reached);
    await expect(accountOf(oidc)).rejects.toThrow('无法连接至 OIDC 服务器，请稍后重试！');
    reached['openid-configuration'] = wellKnown;
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
  });

  it.each([
    ['known', wellKnown],
    ['unknown', undefined],
  ])('reads a user info with a claim called access_token, if the issuer is %s', async (_, document) => {
    const me = { ...person, access_token: 'a claim' };
    const oidc = oidcWith(entered, { ...replies, me, 'openid-configuration': document });
    expect(await accountOf(oidc)).toMatchObject({ id: 'u-1' });
  });

  it('refuses an identity token that is none, if the issuer is known', async () => {
    const token = { ...replies.token, id_token: 'x.y.z' };
    const oidc = oidcWith(entered, { ...replies, token, 'openid-configuration': wellKnown });
    await expect(accountOf(oidc)).rejects.toThrow('OIDC 获取 Token 失败，请检查设置！');
  });
});
