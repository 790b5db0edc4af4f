import { describe, expect, it } from '@jest/globals';
import { defaultOptions } from '@tollgate/contracts';
import { canRootSignIn, concernsSignIn, signInMethods } from './sign-in-methods.js';

const unbound = { githubId: null, oidcId: null, linuxDoId: null, wechatId: null, telegramId: null };
const closed = { ...defaultOptions, PasswordLoginEnabled: 'false' };

describe('the last way in', () => {
  it('is the password as long as it is open', () => {
    expect(canRootSignIn(defaultOptions, [unbound])).toBe(true);
    expect(canRootSignIn(closed, [unbound])).toBe(false);
  });

  it.each(signInMethods)('may be $option when it is on and a super administrator is bound', ({ option, binding }) => {
    const enabled = { ...closed, [option]: 'true' };
    expect(canRootSignIn(enabled, [unbound, { ...unbound, [binding]: '7' }])).toBe(true);
    expect(canRootSignIn(enabled, [unbound])).toBe(false);
    expect(canRootSignIn(closed, [{ ...unbound, [binding]: '7' }])).toBe(false);
    expect(concernsSignIn(option)).toBe(true);
  });

  it('is no concern of other options', () => {
    expect(concernsSignIn('PasswordLoginEnabled')).toBe(true);
    expect(concernsSignIn('SystemName')).toBe(false);
  });
});
