import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { registerSchema } from '@tollgate/contracts/api/user';
import { AppError, OptionStore } from '@tollgate/chassis';
import type { z } from 'zod';
import { parseInput } from '../parse-input.js';
import { emailKeyOf, usernameKeyOf } from '../user/user.entity.js';
import { isTaken } from '../user/user.queries.js';
import { usernameTaken, UserStore } from '../user/user-store.js';
import { WalletsClient } from '../user/wallets.client.js';
import { Turnstile } from '../verification/turnstile.js';
import { VerificationCodes } from '../verification/verification-codes.js';
import { hashPassword } from '../credential/password.js';

type Registration = z.output<typeof registerSchema>;

interface Visit {
  turnstile: string;
  address: string;
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
  ) {}

  /** Creates the user without signing them in. */
  async register(body: unknown, visit: Visit): Promise<void> {
    await this.turnstile.check(visit.turnstile, visit.address);
    this.assertOpen();
    const registration = parseInput(registerSchema, body);
    const email = this.emailToVerify(registration);
    const { username, password, aff_code: code, verification_code: proof = '' } = registration;
    // Checked here but redeemed at the end: a user who has to choose another name needs the same code again.
    if (email !== undefined && !(await this.codes.fits('register', email, proof))) throw codeWrong();
    if (await isTaken(this.em, { usernameKey: usernameKeyOf(username) })) throw usernameTaken();
    const [inviterId, passwordHash] = await Promise.all([this.wallets.inviterOf(code), hashPassword(password)]);
    if (email !== undefined) await this.proveFree(email, proof);
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
   * Called after all other checks, because redeeming uses the code up, but before the reply can reveal whether the
   * address is taken: only those who read its mail may learn that.
   */
  private async proveFree(email: string, code: string): Promise<void> {
    if (!(await this.codes.redeem('register', email, code))) throw codeWrong();
    if (await isTaken(this.em, { email })) throw addressTaken();
  }
}

const codeWrong = (): AppError =>
  new AppError('invalid', 'verification-code-wrong', '验证码错误或已过期', { field: 'verification_code' });

/** The documented refusal is that of a taken name; only its field tells the address from the name. */
const addressTaken = (): AppError => {
  const { kind, code, message } = usernameTaken();
  return new AppError(kind, code, message, { fields: [{ path: 'email', code: 'email-taken' }] });
};
