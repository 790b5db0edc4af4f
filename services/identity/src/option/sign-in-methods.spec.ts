import { describe, expect, it } from '@jest/globals';
import { defaultOptions, type OptionKey } from '@tollgate/contracts';
import { canRootSignIn, concernsSignIn, openMethods, signInMethods, unsettles } from './sign-in-methods.js';

const unbound = { githubId: null, oidcId: null, linuxDoId: null, wechatId: null, telegramId: null };
const closed = { ...defaultOptions, PasswordLoginEnabled: 'false' };
const complete = {
  ...closed,
  ...Object.fromEntries(signInMethods.flatMap(({ needs }) => needs).map((key) => [key, 'set'])),
  'oidc.well_known': 'https://id.example/.well-known/openid-configuration',
} as typeof closed;

describe('the last way in', () => {
  const canSignIn = (texts: typeof closed, root: typeof unbound | Record<string, unknown>): boolean =>
    canRootSignIn(texts, openMethods(texts), [unbound, root as typeof unbound]);

  it('is the password as long as it is open', () => {
    expect(canSignIn(defaultOptions, unbound)).toBe(true);
    expect(canSignIn(closed, unbound)).toBe(false);
  });

  it.each(signInMethods)(
    'may be $option when it is on, has what it needs, and a super administrator is bound',
    ({ option, binding, needs }) => {
      const enabled = { ...complete, [option]: 'true' };
      const bound = { ...unbound, [binding]: '7' };
      expect(canSignIn(enabled, bound)).toBe(true);
      expect(canSignIn(enabled, unbound)).toBe(false);
      expect(canSignIn(complete, bound)).toBe(false);
      for (const key of needs) expect(canSignIn({ ...enabled, [key]: ' ' }, bound)).toBe(false);
      for (const key of [option, ...needs]) expect(concernsSignIn(key)).toBe(true);
    },
  );

  it('is OIDC by its document or by its three addresses', () => {
    const enabled = { ...complete, 'oidc.enabled': 'true', 'oidc.well_known': '' };
    const bound = { ...unbound, oidcId: '7' };
    const two = { ...enabled, 'oidc.authorization_endpoint': 'a', 'oidc.token_endpoint': 't' };
    expect(canSignIn(two, bound)).toBe(false);
    expect(canSignIn({ ...two, 'oidc.user_info_endpoint': 'u' }, bound)).toBe(true);
  });

  it('is unsettled by other settings, and by any saving of what vouches that is not the hand of a super administrator', () => {
    const of = (key: OptionKey, value: string, role: number): OptionKey[] =>
      signInMethods.filter((method) => unsettles(method, { key, value, texts: complete, role })).map((m) => m.option);
    expect(of('oidc.token_endpoint', 'https://elsewhere.example', 100)).toEqual(['oidc.enabled']);
    expect(of('oidc.client_id', 'set', 10)).toEqual([]);
    expect(of('WeChatServerAddress', 'set', 100)).toEqual([]);
    expect(of('WeChatServerAddress', 'set', 10)).toEqual(['WeChatAuthEnabled']);
    expect(of('WeChatServerToken', 'other', 100)).toEqual(['WeChatAuthEnabled']);
    expect(of('SystemName', 'other', 10)).toEqual([]);
  });

  it('is no concern of other options', () => {
    expect(concernsSignIn('PasswordLoginEnabled')).toBe(true);
    expect(concernsSignIn('SystemName')).toBe(false);
  });
});
