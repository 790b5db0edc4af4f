import { Injectable } from '@nestjs/common';
import type { Proof } from '@tollgate/contracts/api/second-factor';
import { AppError, Clock, type PlatformRequest } from '@tollgate/chassis';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { verifyPassword } from '../credential/password.js';
import { Factors } from '../factor/factors.js';
import { SessionService } from '../login/session.service.js';
import { UserStore } from '../user/user-store.js';

/** How long a sign-in counts as a proof for users without password and second factor. */
const FRESH_SECONDS = 10 * 60;
const OWN = 'enrolment';

/**
 * Checks that a caller who changes the ways to sign in is the owner of the account, and not somebody who found an open
 * browser.
 */
@Injectable()
export class OwnerCheck {
  constructor(
    private readonly sessions: SessionService,
    private readonly users: UserStore,
    private readonly factors: Factors,
    private readonly attempts: AttemptLimit,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks the password or a code of the second factor; for users who have neither, requires a sign-in within the last
   * ten minutes. Throws `password-needed`, `original-password-wrong`, `code-needed`, `second-factor-wrong` or
   * `sign-in-again`.
   */
  async again(userId: number, request: PlatformRequest, { password, code = '' }: Proof): Promise<void> {
    const user = await this.users.get(userId);
    if (code !== '' && user.hasSecondFactor()) return this.factors.spend(user, code, OWN);
    if (user.passwordHash !== '') return this.byPassword(userId, password);
    if (user.sealedTotp != null) throw new AppError('forbidden', 'code-needed', '请输入验证码');
    await this.byFreshSignIn(userId, request);
  }

  /** For users who have neither password nor one-time codes. Throws `sign-in-again`. */
  async byFreshSignIn(userId: number, request: PlatformRequest): Promise<void> {
    const session = await this.sessions.of(request);
    if (session?.userId === userId && this.clock.seconds() - session.createdAt <= FRESH_SECONDS) return;
    throw new AppError('forbidden', 'sign-in-again', '请退出后重新登录，再进行此操作');
  }

  /** Checks the password, if the user has one. */
  async byPassword(userId: number, password: string | undefined): Promise<void> {
    const { passwordHash } = await this.users.get(userId);
    if (passwordHash === '') return;
    if (password === undefined || password === '') throw new AppError('forbidden', 'password-needed', '请输入当前密码');
    await this.attempts.admit('original-password', String(userId));
    if (!(await verifyPassword(password, passwordHash)))
      throw new AppError('invalid', 'original-password-wrong', '原密码错误', { field: 'password' });
    await this.attempts.forget('original-password', String(userId));
  }
}
