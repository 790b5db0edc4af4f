import { asAdmin, asUser, byFactor, defineRoutes, open } from './define-routes.js';

const byMail = { ...open, rate: 'code' } as const;

export const identityRoutes = defineRoutes('identity', {
  getSetup: { method: 'GET', path: '/api/setup', ...open },
  postSetup: { method: 'POST', path: '/api/setup', ...open, invalidStatus: 400, unreadable: '请求参数有误' },
  getStatus: { method: 'GET', path: '/api/status', ...open },
  testStatus: { method: 'GET', path: '/api/status/test', ...asAdmin },
  checkUpdate: { method: 'GET', path: '/api/status/update', ...asAdmin },
  getNotice: { method: 'GET', path: '/api/notice', ...open },
  getAbout: { method: 'GET', path: '/api/about', ...open },
  getHomePageContent: { method: 'GET', path: '/api/home_page_content', ...open },

  login: { method: 'POST', path: '/api/user/login', ...open, rate: 'login' },
  getSecondStep: { method: 'GET', path: '/api/user/login/2fa', ...open },
  finishSecondStep: { method: 'POST', path: '/api/user/login/2fa', ...open, rate: 'login' },
  beginPasskeyLogin: { method: 'POST', path: '/api/user/passkey/login/begin', ...open, rate: 'login' },
  finishPasskeyLogin: { method: 'POST', path: '/api/user/passkey/login/finish', ...open, rate: 'login' },
  logout: { method: 'GET', path: '/api/user/logout', ...open },
  register: { method: 'POST', path: '/api/user/register', ...open, rate: 'register' },

  sendVerificationCode: { method: 'GET', path: '/api/verification', auth: 'optional', minRole: 0, rate: 'code' },
  requestPasswordReset: { method: 'GET', path: '/api/reset_password', ...byMail },
  resetPassword: { method: 'POST', path: '/api/user/reset', ...byMail },
  bindEmail: { method: 'GET', path: '/api/oauth/email/bind', auth: 'user', minRole: 1, rate: 'code' },

  oauthState: { method: 'GET', path: '/api/oauth/state', ...open, rate: 'oauth' },
  oauthAuthorize: { method: 'GET', path: '/api/oauth/authorize', ...open, rate: 'oauth' },
  wechatLogin: { method: 'GET', path: '/api/oauth/wechat', ...open, rate: 'oauth' },
  bindWechat: { method: 'GET', path: '/api/oauth/wechat/bind', auth: 'user', minRole: 1, rate: 'oauth' },
  telegramLogin: { method: 'GET', path: '/api/oauth/telegram/login', ...open, rate: 'oauth' },
  bindTelegram: { method: 'GET', path: '/api/oauth/telegram/bind', auth: 'navigation', minRole: 1, rate: 'oauth' },
  oauthCallback: { method: 'GET', path: '/api/oauth/:provider', auth: 'optional', minRole: 0, rate: 'oauth' },
  unbindSelf: { method: 'DELETE', path: '/api/user/self/binding/:provider', ...asUser },

  getSelf: { method: 'GET', path: '/api/user/self', ...asUser, beforeFactor: true },
  updateSelf: { method: 'PUT', path: '/api/user/self', ...asUser },
  deleteSelf: { method: 'DELETE', path: '/api/user/self', ...asUser },
  createAccessToken: { method: 'GET', path: '/api/user/token', ...asUser },
  updateUserSetting: { method: 'PUT', path: '/api/user/setting', ...asUser },

  listSessions: { method: 'GET', path: '/api/user/self/session', ...asUser },
  endOtherSessions: { method: 'DELETE', path: '/api/user/self/session', ...asUser },
  endSession: { method: 'DELETE', path: '/api/user/self/session/:session', ...asUser },

  getFactors: { method: 'GET', path: '/api/user/self/2fa', ...byFactor },
  setUpTotp: { method: 'POST', path: '/api/user/self/2fa/setup', ...byFactor },
  enableTotp: { method: 'POST', path: '/api/user/self/2fa/enable', ...byFactor },
  disableTotp: { method: 'POST', path: '/api/user/self/2fa/disable', ...byFactor },
  renewRecoveryCodes: { method: 'POST', path: '/api/user/self/2fa/recovery_codes', ...byFactor },
  listPasskeys: { method: 'GET', path: '/api/user/self/passkey', ...byFactor },
  beginPasskey: { method: 'POST', path: '/api/user/self/passkey/begin', ...byFactor },
  createPasskey: { method: 'POST', path: '/api/user/self/passkey', ...byFactor, bodyLimit: 256 * 1024 },
  renamePasskey: { method: 'PUT', path: '/api/user/self/passkey/:id', ...byFactor },
  deletePasskey: { method: 'DELETE', path: '/api/user/self/passkey/:id', ...byFactor },

  listUsers: { method: 'GET', path: '/api/user', ...asAdmin },
  searchUsers: { method: 'GET', path: '/api/user/search', ...asAdmin },
  getUser: { method: 'GET', path: '/api/user/:id', ...asAdmin },
  createUser: { method: 'POST', path: '/api/user', ...asAdmin },
  updateUser: { method: 'PUT', path: '/api/user', ...asAdmin },
  deleteUser: { method: 'DELETE', path: '/api/user/:id', ...asAdmin },
  listUserSessions: { method: 'GET', path: '/api/user/:id/session', ...asAdmin },
  endUserSessions: { method: 'DELETE', path: '/api/user/:id/session', ...asAdmin },
  endUserSession: { method: 'DELETE', path: '/api/user/:id/session/:session', ...asAdmin },
  removeFactors: { method: 'DELETE', path: '/api/user/:id/2fa', ...asAdmin },
  unbindUser: { method: 'DELETE', path: '/api/user/:id/binding/:provider', ...asAdmin },
  manageUser: { method: 'POST', path: '/api/user/manage', ...asAdmin },

  listOptions: { method: 'GET', path: '/api/option', ...asAdmin },
  updateOption: { method: 'PUT', path: '/api/option', ...asAdmin, bodyLimit: 4 * 1024 * 1024, invalidStatus: 400 },
  discoverOidc: { method: 'POST', path: '/api/option/oidc_discovery', ...asAdmin },
  testMail: { method: 'POST', path: '/api/option/mail_test', ...asAdmin },
  resetModelRatio: { method: 'POST', path: '/api/option/rest_model_ratio', ...asAdmin },

  listDeliveries: { method: 'GET', path: '/api/delivery', ...asAdmin },
  listOwnDeliveries: { method: 'GET', path: '/api/delivery/self', ...asUser },
});
