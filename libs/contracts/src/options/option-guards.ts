import type { OptionKey } from './index.js';

interface Guard {
  /** Options that must not be empty when the switch is turned on. */
  needs: OptionKey[];
  message: string;
}

/** A sign-in method without credentials would show a button that fails, and a bot check without keys would lock everyone out. */
const enableGuards: Partial<Record<OptionKey, Guard>> = {
  GitHubOAuthEnabled: {
    needs: ['GitHubClientId', 'GitHubClientSecret'],
    message: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
  },
  'oidc.enabled': {
    needs: ['oidc.client_id', 'oidc.client_secret'],
    message: '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
  },
  LinuxDOOAuthEnabled: {
    needs: ['LinuxDOClientId', 'LinuxDOClientSecret'],
    message: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
  },
  EmailDomainRestrictionEnabled: {
    needs: ['EmailDomainWhitelist'],
    message: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
  },
  WeChatAuthEnabled: { needs: ['WeChatServerAddress'], message: '无法启用微信登录，请先填入微信登录相关配置信息！' },
  TurnstileCheckEnabled: {
    needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
    message: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
  },
  TelegramOAuthEnabled: {
    needs: ['TelegramBotToken'],
    message: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
  },
};

/** The bot check cannot be passed without these keys, so they cannot be emptied while it is on. */
const botCheckKeys: readonly OptionKey[] = ['TurnstileSiteKey', 'TurnstileSecretKey'];
const BOT_CHECK_IS_ON = '请先关闭 Turnstile 校验，再清空其配置，否则所有人都无法登录';

const isBlank = (text: string): boolean => text.replaceAll(',', '').trim() === '';

/**
 * The message that refuses to turn on a switch whose required options are empty, or to empty an option that a switch needs; `all` are the
 * texts in force, including secrets.
 */
export function checkOptionGuards(
  key: OptionKey,
  value: string,
  all: Readonly<Record<OptionKey, string>>,
): string | undefined {
  if (botCheckKeys.includes(key) && isBlank(value) && all.TurnstileCheckEnabled === 'true') return BOT_CHECK_IS_ON;
  const guard = value === 'true' ? enableGuards[key] : undefined;
  return guard?.needs.some((needed) => isBlank(all[needed])) ? guard.message : undefined;
}
