import { factorRules } from '../second-factor.js';
import { option } from './option.js';
import { domainList, flag, imageLink, line, address, oneOf, url } from './text-schemas.js';

const admin = { minRole: 10 } as const;

/** Options that determine where a client secret is sent with the code of a login. */
const provider = { ...admin, receives: 'oidc.client_secret' } as const;

/** Sign-in, registration and identity providers. */
export const loginOptions = {
  PasswordLoginEnabled: option({
    ...admin,
    schema: flag,
    default: 'true',
    inStatus: true,
    card: 'system.login',
  }),
  PasswordRegisterEnabled: option({ ...admin, schema: flag, default: 'true', inStatus: true, card: 'system.login' }),
  RegisterEnabled: option({ ...admin, schema: flag, default: 'true', inStatus: true, card: 'system.login' }),
  EmailVerificationEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),

  SecondFactorRequiredFor: option({
    schema: oneOf(...factorRules),
    default: 'nobody',
    minRole: 100,
    card: 'system.second-factor',
  }),
  SecondFactorAfterProviders: option({ schema: flag, default: 'true', minRole: 100, card: 'system.second-factor' }),

  EmailDomainRestrictionEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    card: 'system.email-domain',
  }),
  EmailAliasRestrictionEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    card: 'system.email-domain',
  }),
  EmailDomainWhitelist: option({
    ...admin,
    schema: domainList,
    default: 'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    card: 'system.email-domain',
  }),

  TurnstileCheckEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  TurnstileSiteKey: option({ ...admin, schema: line, default: '', inStatus: true, card: 'system.turnstile' }),
  TurnstileSecretKey: option({ ...admin, schema: line, default: '', secret: true, card: 'system.turnstile' }),

  GitHubOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  GitHubClientId: option({ ...admin, schema: line, default: '', inStatus: true, card: 'system.github' }),
  GitHubClientSecret: option({ ...admin, schema: line, default: '', secret: true, card: 'system.github' }),

  LinuxDOOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  LinuxDOClientId: option({ ...admin, schema: line, default: '', inStatus: true, card: 'system.linuxdo' }),
  LinuxDOClientSecret: option({ ...admin, schema: line, default: '', secret: true, card: 'system.linuxdo' }),

  WeChatAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  WeChatServerAddress: option({
    ...admin,
    receives: 'WeChatServerToken',
    schema: address,
    default: '',
    card: 'system.wechat',
  }),
  WeChatServerToken: option({ ...admin, schema: line, default: '', secret: true, card: 'system.wechat' }),
  WeChatAccountQRCodeImageURL: option({
    ...admin,
    schema: imageLink,
    default: '',
    inStatus: true,
    card: 'system.wechat',
  }),

  TelegramOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  TelegramBotToken: option({ ...admin, schema: line, default: '', secret: true, card: 'system.telegram' }),
  TelegramBotName: option({ ...admin, schema: line, default: '', inStatus: true, card: 'system.telegram' }),

  'oidc.enabled': option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    card: 'system.login',
  }),
  'oidc.client_id': option({ ...admin, schema: line, default: '', inStatus: true, card: 'system.oidc' }),
  'oidc.client_secret': option({ ...admin, schema: line, default: '', secret: true, card: 'system.oidc' }),
  'oidc.well_known': option({ ...provider, schema: url, default: '', card: 'system.oidc' }),
  'oidc.authorization_endpoint': option({
    ...provider,
    schema: url,
    default: '',
    inStatus: true,
    card: 'system.oidc',
  }),
  'oidc.token_endpoint': option({ ...provider, schema: url, default: '', card: 'system.oidc' }),
  'oidc.user_info_endpoint': option({ ...provider, schema: url, default: '', card: 'system.oidc' }),
};
