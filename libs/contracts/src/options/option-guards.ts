import type { OptionKey } from './option-rows.js';

interface Guard {
  /** Options that must not be empty when the switch is turned on, nor while it is on. */
  needs: OptionKey[];
  /** An option that must not be emptied while the switch is on, although turning it on asks only for the documented ones. */
  keeps?: OptionKey;
  /** Refuses to turn the switch on. */
  incomplete: string;
  /** Refuses to empty an option that it needs. */
  inUse: string;
}

/**
 * A sign-in method without credentials would show a button that fails, a bot check without keys would lock everyone out, and a restriction
 * without a list would refuse every address.
 */
const guards: Partial<Record<OptionKey, Guard>> = {
  GitHubOAuthEnabled: {
    needs: ['GitHubClientId', 'GitHubClientSecret'],
    incomplete: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    inUse: '请先关闭 GitHub OAuth，再清空其配置',
  },
  'oidc.enabled': {
    needs: ['oidc.client_id', 'oidc.client_secret'],
    incomplete: '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    inUse: '请先关闭 OIDC 登录，再清空其配置',
  },
  LinuxDOOAuthEnabled: {
    needs: ['LinuxDOClientId', 'LinuxDOClientSecret'],
    incomplete: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    inUse: '请先关闭 LinuxDO OAuth，再清空其配置',
  },
  EmailDomainRestrictionEnabled: {
    needs: ['EmailDomainWhitelist'],
    incomplete: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    inUse: '请先关闭邮箱域名限制，再清空限制的邮箱域名，否则所有邮箱地址都会被拒绝',
  },
  WeChatAuthEnabled: {
    needs: ['WeChatServerAddress'],
    incomplete: '无法启用微信登录，请先填入微信登录相关配置信息！',
    inUse: '请先关闭微信登录，再清空其配置',
  },
  TurnstileCheckEnabled: {
    needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
    incomplete: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    inUse: '请先关闭 Turnstile 校验，再清空其配置，否则所有人都无法登录',
  },
  TelegramOAuthEnabled: {
    needs: ['TelegramBotToken'],
    // The sign-in page shows the button of Telegram only with the name of its bot.
    keeps: 'TelegramBotName',
    incomplete: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    inUse: '请先关闭 Telegram OAuth，再清空其配置',
  },
};

const isBlank = (text: string): boolean => text.replaceAll(',', '').trim() === '';

interface Refused {
  code: 'option-guarded' | 'option-in-use';
  message: string;
}

const keptBy = ({ needs, keeps }: Guard): OptionKey[] => (keeps ? [...needs, keeps] : needs);

/** The options without which what this one switches on does not work; empty if it needs none. */
export function neededFor(option: OptionKey): readonly OptionKey[] {
  const guard = guards[option];
  return guard ? keptBy(guard) : [];
}

/**
 * Refuses to turn on a switch whose required options are empty, and to empty an option that a switch needs while it is on; `all` are the
 * texts in force, including secrets.
 */
export function checkOptionGuards(
  key: OptionKey,
  value: string,
  all: Readonly<Record<OptionKey, string>>,
): Refused | undefined {
  const guard = value === 'true' ? guards[key] : undefined;
  if (guard?.needs.some((needed) => isBlank(all[needed]))) return { code: 'option-guarded', message: guard.incomplete };
  const users = isBlank(value) ? Object.entries(guards) : [];
  const user = users.find(([name, guard]) => all[name as OptionKey] === 'true' && keptBy(guard).includes(key));
  return user && { code: 'option-in-use', message: user[1].inUse };
}
