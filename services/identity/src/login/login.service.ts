import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError, OptionStore } from '@tollgate/platform';
import { emailKeyOf, User, usernameKeyOf } from '../user/user.entity.js';
import { AttemptLimit } from './attempt-limit.js';
import { verifyPassword } from './password.js';

@Injectable()
export class LoginService {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly attempts: AttemptLimit,
  ) {}

  assertPasswordLoginOpen(): void {
    if (this.options.get('PasswordLoginEnabled')) return;
    throw new AppError('forbidden', 'password-login-closed', '管理员关闭了密码登录');
  }

  /** One text and the same work for an unknown name, a wrong password and a banned user. */
  async verify(name: string, password: string, address: string): Promise<User> {
    const account = usernameKeyOf(name);
    await this.attempts.admit('login-by-address', account, address);
    await this.attempts.admit('login', account);
    const user = await this.findByNameOrEmail(name);
    const matches = await verifyPassword(password, user?.passwordHash);
    if (!user || !matches || !user.isEnabled()) {
      throw new AppError('invalid', 'wrong-credentials', '用户名或密码错误，或用户已被封禁', { status: 200 });
    }
    await this.attempts.forget('login-by-address', account, address);
    await this.attempts.forget('login', account);
    return user;
  }

  /** Names hold no `@`, so a text means one or the other. */
  private findByNameOrEmail(name: string): Promise<User | null> {
    const key = name.includes('@') ? { email: emailKeyOf(name) } : { usernameKey: usernameKeyOf(name) };
    return this.em.findOne(User, { ...key, deletedAt: null });
  }
}
