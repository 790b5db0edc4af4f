import { z } from 'zod';
import { deliverySchema } from '../api/delivery.js';
import { oidcDiscoverySchema, optionSchema } from '../api/option.js';
import { setupSchema, setupStatusSchema } from '../api/setup.js';
import { oauthQuerySchema } from '../api/oauth.js';
import { signInSchema } from '../api/session.js';
import { releaseSchema, statusSchema } from '../api/status.js';
import { loginSchema, managedUserSchema, registerSchema, sessionUserSchema, userSchema } from '../api/user.js';
import type { identityRoutes } from '../routes/identity.js';
import { type OperationDocument, pageOf } from './define-operations.js';

export const identityOperations = {
  getSetup: { summary: 'Whether the system is set up.', data: setupStatusSchema },
  postSetup: { summary: 'Set the system up; the first call wins.', body: setupSchema },
  getStatus: { summary: 'What a console needs before anybody signs in.', data: statusSchema },
  testStatus: { summary: 'Check that the server and its database answer.' },
  checkUpdate: { summary: 'Ask the configured list of releases for the newest.', data: releaseSchema },
  getNotice: { summary: 'The notice of the operator, Markdown.', data: z.string() },
  getAbout: { summary: 'The text or address of the about page.', data: z.string() },
  getHomePageContent: { summary: 'The text or address of the home page.', data: z.string() },

  login: { summary: 'Sign in by name or e-mail and password.', body: loginSchema, data: sessionUserSchema },
  logout: { summary: 'End the session.' },
  register: { summary: 'Open an account.', body: registerSchema },

  sendVerificationCode: {
    summary: 'Send a verification code by mail; the answer does not tell whether the address is taken.',
  },
  requestPasswordReset: {
    summary: 'Send a link for a new password; the answer does not tell whether the address is known.',
  },
  resetPassword: {
    summary: 'Set a generated password by the link of a mail; it is shown only here.',
    data: z.string(),
  },
  bindEmail: { summary: 'Bind an address to the own account by the code sent to it.' },

  oauthState: {
    summary: 'Begin a sign-in by another account: the state its callback must bring back.',
    data: z.string(),
  },
  oauthAuthorize: { summary: 'The same as the whole address of the provider to go to.', data: z.string() },
  wechatLogin: { summary: 'Sign in by the code that the WeChat account told.', data: sessionUserSchema },
  bindWechat: { summary: 'Bind a WeChat account by the code it told.' },
  telegramLogin: { summary: 'Sign in by what the Telegram widget returned.', data: sessionUserSchema },
  bindTelegram: { summary: 'Bind a Telegram account; answers by a redirect.' },
  oauthCallback: {
    summary:
      'Finish a sign-in by GitHub, OIDC or LinuxDO. Whoever is signed in binds the account instead: the message is then `bind`.',
    query: oauthQuerySchema,
    data: sessionUserSchema,
  },
  unbindSelf: { summary: 'Take an account elsewhere, or the address, off the own account.' },

  getSelf: { summary: 'The signed-in user.', data: userSchema },
  updateSelf: { summary: 'Change own name or password.' },
  deleteSelf: { summary: 'Delete the own account.' },
  createAccessToken: { summary: 'Make a new system access token; it is shown only here.', data: z.string() },
  updateUserSetting: { summary: 'Replace the own notification settings.' },

  listSessions: { summary: 'Where one is signed in.', data: z.array(signInSchema) },
  endOtherSessions: { summary: 'Sign out everywhere else.' },
  endSession: { summary: 'Sign out somewhere.' },

  listUsers: { summary: 'Users, by page.', data: pageOf(userSchema) },
  searchUsers: { summary: 'Users whose id, name or address matches, by page.', data: pageOf(userSchema) },
  getUser: { summary: 'One user.', data: userSchema },
  createUser: { summary: 'Create a user.', data: sessionUserSchema },
  updateUser: { summary: 'Change a user, the balance included.' },
  deleteUser: { summary: 'Delete a user.' },
  listUserSessions: { summary: 'Where a user is signed in.', data: z.array(signInSchema) },
  endUserSessions: { summary: 'Sign a user out everywhere.' },
  endUserSession: { summary: 'Sign a user out somewhere.' },
  unbindUser: { summary: 'Take an account elsewhere, or the address, off a user.' },
  manageUser: { summary: 'Promote, demote, enable, disable or delete a user.', data: managedUserSchema },

  listOptions: { summary: 'All options; secrets without their value.', data: z.array(optionSchema) },
  updateOption: { summary: 'Change one option.' },
  discoverOidc: { summary: 'Read the discovery document of an OIDC provider.', data: oidcDiscoverySchema },
  testMail: { summary: 'Send a mail to see whether the SMTP settings work.' },
  resetModelRatio: { summary: 'Set the model ratios back to their defaults.' },

  listDeliveries: {
    summary: 'Mails and webhooks, newest first, with what became of them.',
    data: pageOf(deliverySchema),
  },
  listOwnDeliveries: { summary: 'Mails and webhooks to oneself, newest first.', data: pageOf(deliverySchema) },
} as const satisfies Record<keyof typeof identityRoutes, OperationDocument>;
