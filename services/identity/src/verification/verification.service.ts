import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { DeliveryKind } from '@tollgate/contracts/api/delivery-kinds';
import { AppError, Host, OptionStore, ownAddress } from '@tollgate/chassis';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { generatePassword, hashPassword } from '../credential/password.js';
import { Deliveries } from '../delivery/deliveries.js';
import type { Language } from '../mail/language.js';
import { type MailText, writeMail } from '../mail/mail-text.js';
import { Mailer } from '../mail/mailer.js';
import { TrustedSettings } from '../option/trusted-settings.js';
import { User } from '../user/user.entity.js';
import { type Self, UserStore } from '../user/user-store.js';
import { assertAllowedAddress } from './email-rules.js';
import { FormerAddress } from './former-address.js';
import { CODE_SECONDS, VerificationCodes } from './verification-codes.js';

interface Reader {
  language: Language;
  /** The signed-in user, if any; the code is then valid in this user's sessions only, to bind or to register. */
  userId?: number;
}

const LIFETIME_MS = CODE_SECONDS * 1000;

/**
 * Verification by mail. No reply reveals whether an address belongs to a user: only the mail says so, to the reader of
 * that address.
 */
@Injectable()
export class VerificationService {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly users: UserStore,
    private readonly codes: VerificationCodes,
    private readonly deliveries: Deliveries,
    private readonly mailer: Mailer,
    private readonly attempts: AttemptLimit,
    private readonly host: Host,
    private readonly trusted: TrustedSettings,
    private readonly former: FormerAddress,
  ) {}

  async sendCode(email: string, { language, userId }: Reader): Promise<void> {
    assertAllowedAddress(email, this.options);
    const purpose = userId === undefined ? 'register' : (`bind-email:${userId}` as const);
    this.mailer.assertConfigured();
    await this.attempts.admit('code-again', purpose, email);
    await this.admitMail(email);
    const words = { language, system: this.options.get('SystemName') };
    const owner = await this.em.findOne(User, { email }, { fields: ['id', 'deletedAt'] });
    if (owner?.deletedAt) return this.postClosed(email, words);
    if (owner) {
      const facts = { login: this.link('/login'), reset: this.link('/reset') };
      return this.post(email, 'address-taken', writeMail('address-taken', facts, words));
    }
    const code = await this.codes.issue(purpose, email);
    await this.post(email, 'verification-code', writeMail('verification-code', { code }, words));
  }

  async sendReset(email: string, { language }: Reader): Promise<void> {
    await this.admitMail(email);
    const words = { language, system: this.options.get('SystemName') };
    const user = await this.em.findOne(User, { email }, { fields: ['id', 'role', 'deletedAt'] });
    // Issued before the user is looked at, so that the reply takes equally long for an unknown address.
    const token = await this.codes.issueForLink('reset-password', email);
    if (user?.deletedAt) return this.postClosed(email, words);
    if (!user) {
      const facts = { register: this.link('/register') };
      return this.post(email, 'address-unknown', writeMail('address-unknown', facts, words));
    }
    if (!(await this.trusted.mayVouchFor('mail', user))) {
      return this.post(email, 'reset-refused', writeMail('reset-refused', {}, words), user.id);
    }
    const link = this.link(`/user/reset?email=${encodeURIComponent(email)}&token=${token}`);
    await this.post(email, 'password-reset', writeMail('password-reset', { link }, words), user.id);
  }

  /** Redeems the token of a mail for a generated password. Every session and access token of the user ends. */
  async reset(email: string, token: string): Promise<string> {
    const isRight = await this.codes.redeem('reset-password', email, token);
    const user = isRight ? await this.em.findOne(User, { email, deletedAt: null }, { fields: ['id'] }) : null;
    if (!user) throw new AppError('invalid', 'reset-link-invalid', '重置链接非法或已过期');
    const password = generatePassword();
    const hash = await hashPassword(password);
    await this.users.change(user.id, (changed) => changed.replacePassword(hash));
    return password;
  }

  /** Accepts the user's own code or one that a visitor requested: both prove who reads the mail of the address. */
  async bindEmail(email: string, code: string, self: Self): Promise<void> {
    const isOwn = await this.codes.redeem(`bind-email:${self.userId}`, email, code);
    if (!isOwn && !(await this.codes.redeem('register', email, code))) {
      throw new AppError('invalid', 'verification-code-wrong', '验证码错误或已过期', { field: 'code' });
    }
    await this.users.changeOwn(self, (user) => this.former.replace(user, email));
  }

  /**
   * Throws the same for known and unknown addresses: when no mail server is set, or when the address was sent too many
   * mails lately.
   */
  private async admitMail(email: string): Promise<void> {
    this.mailer.assertConfigured();
    await this.attempts.admit('mail-to-address', email);
  }

  /** The address of a deleted account can neither be used again nor lead into the account. */
  private postClosed(email: string, words: { language: Language; system: string }): Promise<void> {
    return this.post(email, 'address-closed', writeMail('address-closed', {}, words));
  }

  private post(to: string, kind: DeliveryKind, text: MailText, userId?: number): Promise<void> {
    return this.deliveries.add({ userId, kind, payload: { via: 'mail', to, ...text }, lifetimeMs: LIFETIME_MS });
  }

  private link(path: string): string {
    return `${ownAddress(this.options, this.host)}${path}`;
  }
}
