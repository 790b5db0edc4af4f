import type { OptionKey } from '@tollgate/contracts';
import type { Binding } from '../user/user.entity.js';

/** An account at an identity provider. */
export interface ProviderAccount {
  /** Immutable at the provider, unlike the username. */
  id: string;
  username?: string;
  displayName?: string;
  /** Only set when the provider has verified the address. */
  email?: string;
}

/** OpenID Connect allows 255 characters. The index of an id holds up to 2,700 bytes. */
const MOST_ID = 512;

/** Whether an id that a provider states can be stored and found again. PostgreSQL stores no NUL and no half a character. */
export const isAccountId = (id: string): boolean =>
  id.trim() !== '' && id.length <= MOST_ID && !/\p{Cc}/u.test(id) && id.isWellFormed();

interface ProviderRow {
  option: OptionKey;
  binding: Binding;
  /** The message when the provider is switched off. */
  off: string;
  taken: string;
  /** Display name of new users whose account at the provider has none. */
  displayName: string;
}

/** The identity providers, with their options and their documented messages. */
export const providerRows = {
  github: {
    option: 'GitHubOAuthEnabled',
    binding: 'githubId',
    off: '管理员未开启通过 GitHub 登录以及注册',
    taken: '该 GitHub 账户已被绑定',
    displayName: 'GitHub User',
  },
  oidc: {
    option: 'oidc.enabled',
    binding: 'oidcId',
    off: '管理员未开启通过 OIDC 登录以及注册',
    taken: '该 OIDC 账户已被绑定',
    displayName: 'OIDC User',
  },
  linuxdo: {
    option: 'LinuxDOOAuthEnabled',
    binding: 'linuxDoId',
    off: '管理员未开启通过 Linux DO 登录以及注册',
    taken: '该 Linux DO 账户已被绑定',
    displayName: 'Linux DO User',
  },
  wechat: {
    option: 'WeChatAuthEnabled',
    binding: 'wechatId',
    off: '管理员未开启通过微信登录以及注册',
    taken: '该微信账号已被绑定',
    displayName: 'WeChat User',
  },
  telegram: {
    option: 'TelegramOAuthEnabled',
    binding: 'telegramId',
    off: '管理员未开启通过 Telegram 登录以及注册',
    taken: '该 Telegram 账户已被绑定',
    displayName: 'Telegram User',
  },
} as const satisfies Record<string, ProviderRow>;
export type ProviderName = keyof typeof providerRows;
