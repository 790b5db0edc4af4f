import { describe, expect, it } from '@jest/globals';
import type { Logger, OptionStore, OutboundClient } from '@tollgate/chassis';
import { Oidc } from './oidc.js';

const ISSUER = 'https://id.example.com';
const visit = {
  state: 'state',
  redirectUri: 'https://gate.example.com/oauth/oidc',
  verifier: 'v'.repeat(43),
  nonce: 'n',
};

/** A provider whose authorization endpoint is the given address. */
function providerWith(endpoint: string): Oidc {
  const texts: Record<string, string> = {
    'oidc.client_id': 'gate',
    'oidc.well_known': `${ISSUER}/.well-known/openid-configuration`,
  };
  const body = Buffer.from(JSON.stringify({ issuer: ISSUER, authorization_endpoint: endpoint }));
  const options = { get: (key: string) => texts[key] ?? '' };
  const outbound = {
    send: () => Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body }),
  };
  const logger = { warn: () => undefined };
  return new Oidc(options as OptionStore, outbound as unknown as OutboundClient, logger as unknown as Logger);
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
