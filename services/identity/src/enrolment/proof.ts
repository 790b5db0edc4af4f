import { Injectable } from '@nestjs/common';
import { AppError, Clock, type PlatformRequest } from '@tollgate/chassis';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { verifyPassword } from '../credential/password.js';
import { SessionService } from '../login/session.service.js';
import { UserStore } from '../user/user-store.js';

/** Of a sign-in; afterwards the password is asked for again. */
const FRESH_SECONDS = 10 * 60;

/** That whoever changes the ways into an account is its owner, and not somebody who found an open browser. */
@Injectable()
export class Proof {
  constructor(
    private readonly sessions: SessionService,
    private readonly users: UserStore,
    private readonly attempts: AttemptLimit,
    private readonly clock: Clock,
  ) {}

  /** A sign-in of the last ten minutes, or the password. Throws `password-needed`, `original-password-wrong` or `sign-in-again`. */
  async fresh(userId: number, request: PlatformRequest, password: string | undefined): Promise<void> {
    const session = await this.sessions.of(request);
    if (session?.userId === userId && this.clock.seconds() - session.createdAt <= FRESH_SECONDS) return;
    await this.byPassword(userId, password, true);
  }

  /** The password, of whoever has one; without one, whether `needed` says that nothing else will do. */
  async byPassword(userId: number, password: string | undefined, needed = false): Promise<void> {
    const { passwordHash } = await this.users.get(userId);
    if (passwordHash === '') {
      if (needed) throw new AppError('forbidden', 'sign-in-again', '请退出后重新登录，再进行此操作');
      return;
    }
    if (password === undefined || password === '') throw new AppError('forbidden', 'password-needed', '请输入当前密码');
    await this.attempts.admit('original-password', String(userId));
    if (!(await verifyPassword(password, passwordHash)))
      throw new AppError('invalid', 'original-password-wrong', '原密码错误');
    await this.attempts.forget('original-password', String(userId));
  }
}
