import type { OptionKey } from '@tollgate/contracts';
import type { Binding, User } from '../user/user.entity.js';

/** The switch of each way to sign in without a password, and where a user's binding to it is kept. */
export const signInMethods = [
  { option: 'GitHubOAuthEnabled', binding: 'githubId' },
  { option: 'oidc.enabled', binding: 'oidcId' },
  { option: 'LinuxDOOAuthEnabled', binding: 'linuxDoId' },
  { option: 'WeChatAuthEnabled', binding: 'wechatId' },
  { option: 'TelegramOAuthEnabled', binding: 'telegramId' },
] as const satisfies readonly { option: OptionKey; binding: Binding }[];

const switches: ReadonlySet<OptionKey> = new Set<OptionKey>([
  'PasswordLoginEnabled',
  ...signInMethods.map(({ option }) => option),
]);

/** Whether saving this key may close the last way in. */
export const concernsSignIn = (key: OptionKey): boolean => switches.has(key);

/** Whether one of these super administrators can still sign in under these options. */
export const canRootSignIn = (
  options: Readonly<Record<OptionKey, string>>,
  roots: readonly Pick<User, Binding>[],
): boolean =>
  options.PasswordLoginEnabled === 'true' ||
  signInMethods.some(
    ({ option, binding }) => options[option] === 'true' && roots.some((root) => Boolean(root[binding])),
  );
