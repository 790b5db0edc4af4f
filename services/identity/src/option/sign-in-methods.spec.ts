import { describe, expect, it } from '@jest/globals';
import { defaultOptions, neededFor, type OptionKey } from '@tollgate/contracts';
import { canRootSignIn, concernsSignIn, openMethods, signInMethods, unsettles } from './sign-in-methods.js';

const unbound = { githubId: null, oidcId: null, linuxDoId: null, wechatId: null, telegramId: null };
const closed = { ...defaultOptions, PasswordLoginEnabled: 'false' };
const complete = {
  ...closed,
  ...Object.fromEntries(signInMethods.flatMap(({ option }) => neededFor(option)).map((key) => [key, 'set'])),
  'oidc.well_known': 'https://id.example/.well-known/openid-configuration',
} as typeof closed;

describe('sign-in methods of the super administrators', () => {
  const canSignIn = (texts: typeof closed, root: typeof unbound | Record<string, unknown>): boolean =>
    canRootSignIn(texts, openMethods(texts), [unbound, root as typeof unbound]);

  it('include the password while password login is enabled', () => {
    expect(canSignIn(defaultOptions, unbound)).toBe(true);
    expect(canSignIn(closed, unbound)).toBe(false);
  });

  it.each(signInMethods)(
    'include $option when it is enabled, complete, and bound to a super administrator',
    ({ option, binding }) => {
      const needs = neededFor(option);
      expect(needs).not.toEqual([]);
      const enabled = { ...complete, [option]: 'true' };
      const bound = { ...unbound, [binding]: '7' };
      expect(canSignIn(enabled, bound)).toBe(true);
      expect(canSignIn(enabled, unbound)).toBe(false);
      expect(canSignIn(complete, bound)).toBe(false);
      for (const key of needs) expect(canSignIn({ ...enabled, [key]: ' ' }, bound)).toBe(false);
      for (const key of [option, ...needs]) expect(concernsSignIn(key)).toBe(true);
    },
  );

  it('include OIDC with a discovery document or with its three addresses', () => {
    const enabled = { ...complete, 'oidc.enabled': 'true', 'oidc.well_known': '' };
    const bound = { ...unbound, oidcId: '7' };
    const two = { ...enabled, 'oidc.authorization_endpoint': 'a', 'oidc.token_endpoint': 't' };
    expect(canSignIn(two, bound)).toBe(false);
    expect(canSignIn({ ...two, 'oidc.user_info_endpoint': 'u' }, bound)).toBe(true);
  });

  it('need a new check when their settings change, or when another administrator saves the address that vouches for users', () => {
    const of = (key: OptionKey, value: string, role: number): OptionKey[] =>
      signInMethods.filter((method) => unsettles(method, { key, value, texts: complete, role })).map((m) => m.option);
    expect(of('oidc.token_endpoint', 'https://elsewhere.example', 100)).toEqual(['oidc.enabled']);
    expect(of('oidc.client_id', 'set', 10)).toEqual([]);
    expect(of('WeChatServerAddress', 'set', 100)).toEqual([]);
    expect(of('WeChatServerAddress', 'set', 10)).toEqual(['WeChatAuthEnabled']);
    expect(of('WeChatServerToken', 'other', 100)).toEqual(['WeChatAuthEnabled']);
    expect(of('SystemName', 'other', 10)).toEqual([]);
  });

  it('are not affected by other options', () => {
    expect(concernsSignIn('PasswordLoginEnabled')).toBe(true);
    expect(concernsSignIn('SystemName')).toBe(false);
  });
});
