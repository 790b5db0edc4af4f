import { z } from 'zod';
import { deliverySchema } from '../api/delivery.js';
import { oidcDiscoverySchema, optionSchema } from '../api/option.js';
import { setupSchema, setupStatusSchema } from '../api/setup.js';
import { oauthQuerySchema } from '../api/oauth.js';
import { personArchiveSchema } from '../api/person.js';
import {
  factorStatusSchema,
  passkeyOptionsSchema,
  passkeySchema,
  recoveryCodesSchema,
  secondStepSchema,
  totpSetupSchema,
} from '../api/second-factor.js';
import { signInSchema } from '../api/session.js';
import { releaseSchema, statusSchema } from '../api/status.js';
import { loginSchema, managedUserSchema, registerSchema, sessionUserSchema, userSchema } from '../api/user.js';
import type { identityRoutes } from '../routes/identity.js';
import { type OperationDocument, pageOf } from './define-operations.js';

/** A completed sign-in, or one that requires a second factor. */
const signedInSchema = z.union([sessionUserSchema, secondStepSchema]);

export const identityOperations = {
  getSetup: { summary: 'Whether the system is set up.', data: setupStatusSchema },
  postSetup: { summary: 'Set the system up; the first call wins.', body: setupSchema },
  getStatus: { summary: 'What a console needs before anybody signs in.', data: statusSchema },
  testStatus: { summary: 'Check that the server and its database answer.' },
  checkUpdate: { summary: 'Ask the configured list of releases for the newest.', data: releaseSchema },
  getNotice: { summary: 'The notice of the operator, Markdown.', data: z.string() },
  getAbout: { summary: 'The text or address of the about page.', data: z.string() },
  getHomePageContent: { summary: 'The text or address of the home page.', data: z.string() },

  login: {
    summary: 'Sign in by name or e-mail and password. Whoever has a second factor is asked for it by `require_2fa`.',
    body: loginSchema,
    data: signedInSchema,
  },
  getSecondStep: { summary: 'Which second factors the sign-in under way asks for.', data: secondStepSchema },
  finishSecondStep: {
    summary: 'Finish a sign-in by a one-time code or a recovery code.',
    data: sessionUserSchema,
  },
  beginPasskeyLogin: {
    summary: 'What the browser needs to ask for a passkey: of anybody, or of whoever is at the second step.',
    data: passkeyOptionsSchema,
  },
  finishPasskeyLogin: { summary: 'Sign in by a passkey.', data: sessionUserSchema },
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
  wechatLogin: { summary: 'Sign in by the code that the WeChat account told.', data: signedInSchema },
  bindWechat: { summary: 'Bind a WeChat account by the code it told.' },
  telegramLogin: { summary: 'Sign in by what the Telegram widget returned.', data: signedInSchema },
  bindTelegram: { summary: 'Bind a Telegram account; answers by a redirect.' },
  oauthCallback: {
    summary:
      'Finish a sign-in by GitHub, OIDC or LinuxDO. Whoever is signed in binds the account instead: the message is then `bind`.',
    query: oauthQuerySchema,
    data: signedInSchema,
  },
  unbindSelf: { summary: 'Take an account elsewhere, or the address, off the own account.' },

  getSelf: { summary: 'The signed-in user.', data: userSchema },
  updateSelf: { summary: 'Change own name or password.' },
  deleteSelf: { summary: 'Delete the own account.' },
  exportSelf: {
    summary: 'Everything that is kept about oneself, one JSON archive.',
    reply: personArchiveSchema,
  },
  eraseSelf: { summary: 'Delete the own account and everything that names oneself; what was booked stays.' },
  createAccessToken: { summary: 'Make a new system access token; it is shown only here.', data: z.string() },
  updateUserSetting: { summary: 'Replace the own notification settings.' },

  listSessions: { summary: 'Where one is signed in.', data: z.array(signInSchema) },
  endOtherSessions: { summary: 'Sign out everywhere else.' },
  endSession: { summary: 'Sign out somewhere.' },

  getFactors: { summary: 'The own second factors.', data: factorStatusSchema },
  setUpTotp: { summary: 'Begin with one-time codes: a secret for an app, shown only here.', data: totpSetupSchema },
  enableTotp: {
    summary: 'Confirm the app by a code; answers recovery codes, shown only here.',
    data: recoveryCodesSchema,
  },
  disableTotp: { summary: 'Give one-time codes up, by password and code.' },
  renewRecoveryCodes: { summary: 'New recovery codes in the place of all old ones.', data: recoveryCodesSchema },
  listPasskeys: { summary: 'The own passkeys.', data: z.array(passkeySchema) },
  beginPasskey: { summary: 'What the browser needs to make a passkey.', data: passkeyOptionsSchema },
  createPasskey: {
    summary:
      'Keep a passkey that the browser made. Where it is the first factor that the operator asks for, with recovery codes.',
    data: recoveryCodesSchema,
  },
  renamePasskey: { summary: 'Give a passkey another name.' },
  deletePasskey: { summary: 'Delete a passkey.' },

  listUsers: { summary: 'Users, by page.', data: pageOf(userSchema) },
  searchUsers: { summary: 'Users whose id, name or address matches, by page.', data: pageOf(userSchema) },
  getUser: { summary: 'One user.', data: userSchema },
  createUser: { summary: 'Create a user.', data: sessionUserSchema },
  updateUser: { summary: 'Change a user, the balance included.' },
  deleteUser: { summary: 'Delete a user.' },
  exportUser: { summary: 'Everything that is kept about a user, one JSON archive.', reply: personArchiveSchema },
  eraseUser: { summary: 'Delete a user and everything that names them; what was booked stays under a pseudonym.' },
  listUserSessions: { summary: 'Where a user is signed in.', data: z.array(signInSchema) },
  endUserSessions: { summary: 'Sign a user out everywhere.' },
  endUserSession: { summary: 'Sign a user out somewhere.' },
  removeFactors: { summary: 'Take all second factors off a user who lost them.' },
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
