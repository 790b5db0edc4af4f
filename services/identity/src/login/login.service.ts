import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError, networkOf, OptionStore, type SessionRecord } from '@tollgate/chassis';
import { emailKeyOf, User, usernameKeyOf, writtenKeyOf } from '../user/user.entity.js';
import { AttemptLimit, type AttemptRule } from '../credential/attempt-limit.js';
import { KnownAddresses } from './known-addresses.js';
import { verifyPassword } from '../credential/password.js';

/** Where an attempt to sign in or to register comes from. */
export interface Visit {
  address: string;
  /** The session of the browser's cookie, whoever it belongs to. */
  session?: SessionRecord;
}

@Injectable()
export class LoginService {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly attempts: AttemptLimit,
    private readonly known: KnownAddresses,
  ) {}

  assertPasswordLoginOpen(): void {
    if (this.options.get('PasswordLoginEnabled')) return;
    throw new AppError('forbidden', 'password-login-closed', '管理员关闭了密码登录');
  }

  /**
   * Same message and same work for an unknown name, a wrong password and a banned user. Attempts of strangers at one
   * account are limited together; addresses from which the owner has signed in before and browsers already signed in
   * have limits of their own, so strangers cannot lock the owner out.
   */
  async verify(name: string, password: string, visit: Visit): Promise<User> {
    const user = await this.findByNameOrEmail(name);
    const account = user ? `user:${user.id}` : `name:${usernameKeyOf(name)}`;
    const [rule, ...subject] = await this.admitGuess(account, user, visit);
    const matches = await verifyPassword(password, user?.passwordHash);
    if (!user || !matches || !user.isEnabled()) {
      throw new AppError('invalid', 'wrong-credentials', '用户名或密码错误，或用户已被封禁', { status: 200 });
    }
    await this.attempts.forget(rule, ...subject);
    return user;
  }

  /**
   * Counts the attempt. Returns the counter that a right password resets; the common counter of strangers is not reset.
   */
  private async admitGuess(
    account: string,
    user: User | null,
    { address, session }: Visit,
  ): Promise<[AttemptRule, ...string[]]> {
    if (user && session?.userId === user.id && session.sessionVersion === user.sessionVersion) {
      await this.attempts.admit('login-by-session', account, String(session.createdAt));
      return ['login-by-session', account, String(session.createdAt)];
    }
    const network = networkOf(address);
    await this.attempts.admit('login-by-address', account, network);
    // Looked up for an unknown name too (as user 0), so that the reply takes equally long.
    const isKnown = await this.known.has(user?.id ?? 0, address);
    if (!isKnown) await this.attempts.admit('login-of-strangers', account);
    return ['login-by-address', account, network];
  }

  /** A username contains no `@`, so the text is either an address or a name. */
  private findByNameOrEmail(name: string): Promise<User | null> {
    return name.includes('@')
      ? this.em.findOne(User, { email: emailKeyOf(name), deletedAt: null })
      : this.findByName(name);
  }

  /**
   * One of two users whose names look alike may still have the key from before folding, i.e. the name as it is written.
   */
  private async findByName(name: string): Promise<User | null> {
    const written = writtenKeyOf(name);
    const keys = [written, usernameKeyOf(name)];
    const found = await this.em.find(User, { usernameKey: { $in: keys }, deletedAt: null });
    return found.find(({ usernameKey }) => usernameKey === written) ?? found[0] ?? null;
  }
}
