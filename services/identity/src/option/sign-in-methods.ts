import { type OptionKey, Role } from '@tollgate/contracts';
import type { Binding, User } from '../user/user.entity.js';
import { type Voucher, vouching } from './trusted-settings.js';

type Texts = Readonly<Record<OptionKey, string>>;

/** A way to sign in without a password: its switch, where a user's binding to it is kept, and what it works by. */
export interface SignInMethod {
  option: OptionKey;
  binding: Binding;
  /** Its settings have to be a super administrator's own to let one in. */
  voucher?: Voucher;
  /** Without any of them nobody comes in. */
  needs: readonly OptionKey[];
  /** It may do without these. */
  uses?: readonly OptionKey[];
}

export const signInMethods: readonly SignInMethod[] = [
  { option: 'GitHubOAuthEnabled', binding: 'githubId', needs: ['GitHubClientId', 'GitHubClientSecret'] },
  {
    option: 'oidc.enabled',
    binding: 'oidcId',
    voucher: 'oidc',
    needs: ['oidc.client_id', 'oidc.client_secret'],
    uses: vouching.oidc,
  },
  { option: 'LinuxDOOAuthEnabled', binding: 'linuxDoId', needs: ['LinuxDOClientId', 'LinuxDOClientSecret'] },
  {
    option: 'WeChatAuthEnabled',
    binding: 'wechatId',
    voucher: 'wechat',
    needs: ['WeChatServerAddress'],
    uses: ['WeChatServerToken'],
  },
  { option: 'TelegramOAuthEnabled', binding: 'telegramId', voucher: 'telegram', needs: ['TelegramBotToken'] },
];

const settingsOf = ({ needs, uses = [] }: SignInMethod): OptionKey[] => [...needs, ...uses];
const switches = new Set<OptionKey>(['PasswordLoginEnabled', ...signInMethods.map(({ option }) => option)]);
/** Passkeys are bound to its host. */
const PASSKEY_ADDRESS: OptionKey = 'ServerAddress';
const settings = new Set<OptionKey>([...signInMethods.flatMap(settingsOf), PASSKEY_ADDRESS]);

export const isSignInSwitch = (key: OptionKey): boolean => switches.has(key);

/** Whether saving this key may close the last way in. */
export const concernsSignIn = (key: OptionKey): boolean => switches.has(key) || settings.has(key);

/** The methods that are on and have all they need; whether what they have is right shows only when somebody signs in. */
export const openMethods = (texts: Texts): SignInMethod[] =>
  signInMethods.filter(
    (method) =>
      texts[method.option] === 'true' &&
      method.needs.every((key) => texts[key].trim() !== '') &&
      (method.voucher !== 'oidc' || knowsProvider(texts)),
  );

/** Whether the OIDC provider is known, by its document or by its three addresses. */
const knowsProvider = (texts: Texts): boolean =>
  texts['oidc.well_known'] !== '' || vouching.oidc.slice(1).every((key) => texts[key] !== '');

/**
 * Whether a change may break a method: nobody has signed in by other settings yet, and what somebody below a super administrator has saved
 * does not count for one, even the same text.
 */
export function unsettles(
  method: SignInMethod,
  { key, value, texts, role }: { key: OptionKey; value: string; texts: Texts; role: number },
): boolean {
  if (!settingsOf(method).includes(key)) return false;
  const vouches = method.voucher !== undefined && (vouching[method.voucher] as readonly OptionKey[]).includes(key);
  return value !== texts[key] || (vouches && role < Role.root);
}

/** Whether one of these super administrators can still sign in under these options, with these methods open to them. */
export const canRootSignIn = (
  texts: Texts,
  methods: readonly SignInMethod[],
  roots: readonly Pick<User, Binding>[],
): boolean =>
  texts.PasswordLoginEnabled === 'true' || methods.some(({ binding }) => roots.some((root) => Boolean(root[binding])));
