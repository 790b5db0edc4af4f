import { Injectable } from '@nestjs/common';
import { Role } from '@tollgate/contracts';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import { AppError, type Caller, OptionStore } from '@tollgate/chassis';
import type { User } from '../user/user.entity.js';
import { denyEdit } from '../user/user-rules.js';
import { UserStore } from '../user/user-store.js';
import { type ProviderName, providerRows } from './provider-account.js';

/** Takes accounts elsewhere off users, but never the last way in. */
@Injectable()
export class Unbinding {
  constructor(
    private readonly options: OptionStore,
    private readonly users: UserStore,
  ) {}

  async ofSelf(name: BindingName, userId: number): Promise<void> {
    await this.users.change(userId, (user) => {
      clear(user, name);
      if (!this.canSignIn(user)) throw lastWayIn('无法解绑：请先设置密码或绑定其他已启用的登录方式');
    });
  }

  async ofUser(name: BindingName, id: number, caller: Caller): Promise<void> {
    await this.users.change(id, (user) => {
      const denial = denyEdit(caller.role, user);
      if (denial) throw new AppError('forbidden', denial.code, denial.message);
      clear(user, name);
      if (user.role === Role.root && !this.canSignIn(user))
        throw lastWayIn('无法解绑：这是超级管理员唯一可用的登录方式');
      return { actorId: caller.userId, action: 'user-unbind', subject: `user:${id}`, before: { binding: name } };
    });
  }

  private canSignIn(user: User): boolean {
    if (user.passwordHash !== '' && this.options.get('PasswordLoginEnabled')) return true;
    return Object.values(providerRows).some(({ option, binding }) => user[binding] && this.options.get(option));
  }
}

function clear(user: User, name: BindingName): void {
  if (name === 'email') user.email = '';
  else user[providerRows[name satisfies ProviderName].binding] = null;
}

const lastWayIn = (message: string): AppError => new AppError('conflict', 'last-sign-in-method', message);
