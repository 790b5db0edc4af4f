import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { registerSchema } from '@tollgate/contracts/api/user';
import { AppError, OptionStore } from '@tollgate/chassis';
import type { z } from 'zod';
import { parseInput } from '../parse-input.js';
import { SetupService } from '../setup/setup.service.js';
import { emailKeyOf, usernameKeyOf } from '../user/user.entity.js';
import { isTaken } from '../user/user.queries.js';
import { ADDRESS_TAKEN, usernameTaken, UserStore } from '../user/user-store.js';
import { WalletsClient } from '../user/wallets.client.js';
import { Turnstile } from '../verification/turnstile.js';
import { type CodePurpose, VerificationCodes } from '../verification/verification-codes.js';
import { hashPassword } from '../credential/password.js';
import type { Visit } from './login.service.js';

type Registration = z.output<typeof registerSchema>;

/** A right verification code, and the purpose for which it was sent. */
interface RightCode {
  email: string;
  code: string;
  purpose: CodePurpose;
}

/** Registration with a password. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly users: UserStore,
    private readonly wallets: WalletsClient,
    private readonly codes: VerificationCodes,
    private readonly turnstile: Turnstile,
    private readonly setup: SetupService,
  ) {}

  /** Creates the user without signing them in. */
  async register(body: unknown, turnstile: string, { address, session }: Visit): Promise<void> {
    await this.turnstile.check(turnstile, address);
    await this.setup.assertDone();
    this.assertOpen();
    const registration = parseInput(registerSchema, body);
    const email = this.emailToVerify(registration);
    const { username, password, aff_code: code, verification_code: typed = '' } = registration;
    // Checked here but redeemed at the end: a user who has to choose another name needs the same code again.
    const right = email === undefined ? undefined : await this.rightCode(email, typed, session?.userId);
    if (await isTaken(this.em, { usernameKey: usernameKeyOf(username) })) throw usernameTaken();
    const [inviterId, passwordHash] = await Promise.all([this.wallets.inviterOf(code), hashPassword(password)]);
    if (right) await this.redeem(right);
    const user = await this.users.create({ username, passwordHash, email, inviterId, kind: 'register' });
    await this.wallets.open(user.id, 'register', inviterId);
  }

  private assertOpen(): void {
    if (!this.options.get('RegisterEnabled') || this.options.get('SelfUseModeEnabled')) {
      throw new AppError('forbidden', 'registration-closed', '管理员关闭了新用户注册');
    }
    if (this.options.get('PasswordRegisterEnabled')) return;
    throw new AppError(
      'forbidden',
      'password-registration-closed',
      '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    );
  }

  /** The address that has to be verified. Without email verification, an address in the form is ignored. */
  private emailToVerify({ email, verification_code: code }: Registration): string | undefined {
    if (!this.options.get('EmailVerificationEnabled')) return undefined;
    if (email === undefined || code === undefined) {
      throw new AppError('invalid', 'email-verification-required', '管理员开启了邮箱验证，请输入邮箱地址和验证码', {
        field: email === undefined ? 'email' : 'verification_code',
      });
    }
    return emailKeyOf(email);
  }

  /**
   * Accepts a visitor's code, or one that the browser's signed-in user requested: both prove who reads the mail of the
   * address.
   */
  private async rightCode(email: string, code: string, sessionUserId: number | undefined): Promise<RightCode> {
    const own = sessionUserId === undefined ? [] : [`bind-email:${sessionUserId}` as const];
    for (const purpose of ['register', ...own] as const)
      if (await this.codes.fits(purpose, email, code)) return { email, code, purpose };
    throw codeWrong();
  }

  /**
   * Called after all other checks, because redeeming uses the code up, but before the reply can reveal whether the
   * address is taken: only those who read its mail may learn that.
   */
  private async redeem({ email, code, purpose }: RightCode): Promise<void> {
    if (!(await this.codes.redeem(purpose, email, code))) throw codeWrong();
    if (await isTaken(this.em, { email })) throw addressTaken();
  }
}

const codeWrong = (): AppError =>
  new AppError('invalid', 'verification-code-wrong', '验证码错误或已过期', { field: 'verification_code' });

/** The documented refusal is that of a taken name; only its field tells the address from the name. */
const addressTaken = (): AppError => {
  const { kind, code, message } = usernameTaken();
  const fields = [{ path: 'email', code: 'email-taken', params: { reason: ADDRESS_TAKEN } }];
  return new AppError(kind, code, message, { fields });
};
