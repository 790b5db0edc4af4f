import { describe, expect, it } from '@jest/globals';
import { checkOptionGuards, defaultOptions, type OptionKey } from './index.js';

describe('checkOptionGuards', () => {
  it.each([
    ['TurnstileSiteKey', 'TurnstileCheckEnabled', '请先关闭 Turnstile 校验，再清空其配置，否则所有人都无法登录'],
    ['TurnstileSecretKey', 'TurnstileCheckEnabled', '请先关闭 Turnstile 校验，再清空其配置，否则所有人都无法登录'],
    ['GitHubClientId', 'GitHubOAuthEnabled', '请先关闭 GitHub OAuth，再清空其配置'],
    ['oidc.client_secret', 'oidc.enabled', '请先关闭 OIDC 登录，再清空其配置'],
    ['LinuxDOClientId', 'LinuxDOOAuthEnabled', '请先关闭 LinuxDO OAuth，再清空其配置'],
    ['WeChatServerAddress', 'WeChatAuthEnabled', '请先关闭微信登录，再清空其配置'],
    ['TelegramBotToken', 'TelegramOAuthEnabled', '请先关闭 Telegram OAuth，再清空其配置'],
    [
      'EmailDomainWhitelist',
      'EmailDomainRestrictionEnabled',
      '请先关闭邮箱域名限制，再清空限制的邮箱域名，否则所有邮箱地址都会被拒绝',
    ],
  ] satisfies [OptionKey, OptionKey, string][])('keeps %s while %s needs it', (key, user, message) => {
    const on = { ...defaultOptions, [key]: 'x', [user]: 'true' };
    expect(checkOptionGuards(key, ' ', on)).toEqual({ code: 'option-in-use', message });
    expect(checkOptionGuards(key, 'another', on)).toBeUndefined();
    expect(checkOptionGuards(key, '', { ...on, [user]: 'false' })).toBeUndefined();
  });

  it('sees a list of commas as empty', () => {
    const on = { ...defaultOptions, EmailDomainRestrictionEnabled: 'true' };
    expect(checkOptionGuards('EmailDomainWhitelist', ' , ', on)).toMatchObject({ code: 'option-in-use' });
  });

  it.each([
    [
      'GitHubOAuthEnabled',
      ['GitHubClientId', 'GitHubClientSecret'],
      '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    ],
    [
      'oidc.enabled',
      ['oidc.client_id', 'oidc.client_secret'],
      '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    ],
    [
      'LinuxDOOAuthEnabled',
      ['LinuxDOClientId', 'LinuxDOClientSecret'],
      '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    ],
    ['EmailDomainRestrictionEnabled', ['EmailDomainWhitelist'], '无法启用邮箱域名限制，请先填入限制的邮箱域名！'],
    ['WeChatAuthEnabled', ['WeChatServerAddress'], '无法启用微信登录，请先填入微信登录相关配置信息！'],
    [
      'TurnstileCheckEnabled',
      ['TurnstileSiteKey', 'TurnstileSecretKey'],
      '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    ],
    ['TelegramOAuthEnabled', ['TelegramBotToken'], '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！'],
  ] satisfies [OptionKey, OptionKey[], string][])('lets %s on only with what it needs', (key, needs, message) => {
    const filled = { ...defaultOptions, ...Object.fromEntries(needs.map((needed) => [needed, 'x'])) };
    expect(checkOptionGuards(key, 'true', filled)).toBeUndefined();
    expect(checkOptionGuards(key, 'false', defaultOptions)).toBeUndefined();
    for (const missing of needs)
      expect(checkOptionGuards(key, 'true', { ...filled, [missing]: ' ' })).toEqual({
        code: 'option-guarded',
        message,
      });
  });

  it('lets every other option pass', () => {
    expect(checkOptionGuards('DrawingEnabled', 'true', defaultOptions)).toBeUndefined();
  });
});
