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
    section: 'system.login',
  }),
  PasswordRegisterEnabled: option({ ...admin, schema: flag, default: 'true', inStatus: true, section: 'system.login' }),
  RegisterEnabled: option({ ...admin, schema: flag, default: 'true', inStatus: true, section: 'system.login' }),
  EmailVerificationEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),

  SecondFactorRequiredFor: option({
    schema: oneOf(...factorRules),
    default: 'nobody',
    minRole: 100,
    section: 'system.second-factor',
  }),
  SecondFactorAfterProviders: option({ schema: flag, default: 'true', minRole: 100, section: 'system.second-factor' }),

  EmailDomainRestrictionEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    section: 'system.email-domain',
  }),
  EmailAliasRestrictionEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    section: 'system.email-domain',
  }),
  EmailDomainWhitelist: option({
    ...admin,
    schema: domainList,
    default: 'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    section: 'system.email-domain',
  }),

  TurnstileCheckEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  TurnstileSiteKey: option({ ...admin, schema: line, default: '', inStatus: true, section: 'system.turnstile' }),
  TurnstileSecretKey: option({ ...admin, schema: line, default: '', secret: true, section: 'system.turnstile' }),

  GitHubOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  GitHubClientId: option({ ...admin, schema: line, default: '', inStatus: true, section: 'system.github' }),
  GitHubClientSecret: option({ ...admin, schema: line, default: '', secret: true, section: 'system.github' }),

  LinuxDOOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  LinuxDOClientId: option({ ...admin, schema: line, default: '', inStatus: true, section: 'system.linuxdo' }),
  LinuxDOClientSecret: option({ ...admin, schema: line, default: '', secret: true, section: 'system.linuxdo' }),

  WeChatAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  WeChatServerAddress: option({
    ...admin,
    receives: 'WeChatServerToken',
    schema: address,
    default: '',
    section: 'system.wechat',
  }),
  WeChatServerToken: option({ ...admin, schema: line, default: '', secret: true, section: 'system.wechat' }),
  WeChatAccountQRCodeImageURL: option({
    ...admin,
    schema: imageLink,
    default: '',
    inStatus: true,
    section: 'system.wechat',
  }),

  TelegramOAuthEnabled: option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  TelegramBotToken: option({ ...admin, schema: line, default: '', secret: true, section: 'system.telegram' }),
  TelegramBotName: option({ ...admin, schema: line, default: '', inStatus: true, section: 'system.telegram' }),

  'oidc.enabled': option({
    ...admin,
    schema: flag,
    default: 'false',
    inStatus: true,
    section: 'system.login',
  }),
  'oidc.client_id': option({ ...admin, schema: line, default: '', inStatus: true, section: 'system.oidc' }),
  'oidc.client_secret': option({ ...admin, schema: line, default: '', secret: true, section: 'system.oidc' }),
  'oidc.well_known': option({ ...provider, schema: url, default: '', section: 'system.oidc' }),
  'oidc.authorization_endpoint': option({
    ...provider,
    schema: url,
    default: '',
    inStatus: true,
    section: 'system.oidc',
  }),
  'oidc.token_endpoint': option({ ...provider, schema: url, default: '', section: 'system.oidc' }),
  'oidc.user_info_endpoint': option({ ...provider, schema: url, default: '', section: 'system.oidc' }),
};
