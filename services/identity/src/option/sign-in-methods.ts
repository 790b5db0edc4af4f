import { neededFor, type OptionKey, Role } from '@tollgate/contracts';
import type { Binding, User } from '../user/user.entity.js';
import { type Voucher, vouching } from './trusted-settings.js';

type Texts = Readonly<Record<OptionKey, string>>;

/**
 * A way to sign in without a password: the option that switches it on, the column of a user's binding and the options
 * it depends on.
 */
export interface SignInMethod {
  option: OptionKey;
  binding: Binding;
  /** For a super administrator the method counts only if these settings were last changed by a super administrator. */
  voucher?: Voucher;
  /** Optional settings of the method. */
  uses?: readonly OptionKey[];
}

export const signInMethods: readonly SignInMethod[] = [
  { option: 'GitHubOAuthEnabled', binding: 'githubId' },
  {
    option: 'oidc.enabled',
    binding: 'oidcId',
    voucher: 'oidc',
    uses: vouching.oidc,
  },
  { option: 'LinuxDOOAuthEnabled', binding: 'linuxDoId' },
  {
    option: 'WeChatAuthEnabled',
    binding: 'wechatId',
    voucher: 'wechat',
    uses: ['WeChatServerToken'],
  },
  { option: 'TelegramOAuthEnabled', binding: 'telegramId', voucher: 'telegram' },
];

const settingsOf = ({ option, uses = [] }: SignInMethod): OptionKey[] => [...neededFor(option), ...uses];
const switches = new Set<OptionKey>(['PasswordLoginEnabled', ...signInMethods.map(({ option }) => option)]);
/** Passkeys are bound to the host of this address. */
const PASSKEY_ADDRESS: OptionKey = 'ServerAddress';
const settings = new Set<OptionKey>([...signInMethods.flatMap(settingsOf), PASSKEY_ADDRESS]);

export const isSignInSwitch = (key: OptionKey): boolean => switches.has(key);

/** Whether a change of this option may remove the last way to sign in. */
export const concernsSignIn = (key: OptionKey): boolean => switches.has(key) || settings.has(key);

/**
 * The methods that are switched on and completely set up. Whether their settings are right shows only when somebody
 * signs in.
 */
export const openMethods = (texts: Texts): SignInMethod[] =>
  signInMethods.filter(
    (method) =>
      texts[method.option] === 'true' &&
      neededFor(method.option).every((key) => texts[key].trim() !== '') &&
      (method.voucher !== 'oidc' || knowsProvider(texts)),
  );

/** Whether the OIDC provider is set up, by its discovery document or by its three endpoints. */
const knowsProvider = (texts: Texts): boolean =>
  texts['oidc.well_known'] !== '' || vouching.oidc.slice(1).every((key) => texts[key] !== '');

/**
 * Whether a change may break a sign-in method: nobody has signed in with the new settings yet. Settings saved by a user
 * below super administrator do not count for one, even if the value stays the same.
 */
export function unsettles(
  method: SignInMethod,
  { key, value, texts, role }: { key: OptionKey; value: string; texts: Texts; role: number },
): boolean {
  if (!settingsOf(method).includes(key)) return false;
  const vouches = method.voucher !== undefined && (vouching[method.voucher] as readonly OptionKey[]).includes(key);
  return value !== texts[key] || (vouches && role < Role.root);
}

/** Whether at least one of the super administrators can still sign in with these options and methods. */
export const canRootSignIn = (
  texts: Texts,
  methods: readonly SignInMethod[],
  roots: readonly Pick<User, Binding>[],
): boolean =>
  texts.PasswordLoginEnabled === 'true' || methods.some(({ binding }) => roots.some((root) => Boolean(root[binding])));
