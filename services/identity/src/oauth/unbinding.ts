import { Injectable } from '@nestjs/common';
import { isRoot } from '@tollgate/contracts';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import { AppError, type Caller } from '@tollgate/chassis';
import { OptionService } from '../option/option.service.js';
import { openMethods } from '../option/sign-in-methods.js';
import type { User } from '../user/user.entity.js';
import { denyEdit, refuse } from '../user/user-rules.js';
import { UserStore } from '../user/user-store.js';
import { FormerAddress } from '../verification/former-address.js';
import { type ProviderName, providerRows } from './provider-account.js';

/** Removes provider accounts from users, but never a user's last way to sign in. */
@Injectable()
export class Unbinding {
  constructor(
    private readonly options: OptionService,
    private readonly users: UserStore,
    private readonly former: FormerAddress,
  ) {}

  ofSelf(name: BindingName, userId: number): Promise<void> {
    return this.change(userId, async (user, canSignIn) => {
      if (name === 'email') await this.former.replace(user, '');
      else clear(user, name);
      if (!canSignIn(user)) throw ownLastWayIn('无法解绑：请先设置密码或绑定其他已启用的登录方式');
    });
  }

  /**
   * Runs `apply`, which removes another way to sign in, in a transaction. Throws `own-last-sign-in-method`, and rolls
   * back, if the user could not sign in any more.
   */
  keepingAWayIn(userId: number, apply: (user: User) => Promise<void>): Promise<void> {
    return this.change(userId, async (user, canSignIn) => {
      await apply(user);
      if (!canSignIn(user)) throw ownLastWayIn('无法删除：请先设置密码或绑定其他已启用的登录方式');
    });
  }

  ofUser(name: BindingName, id: number, caller: Caller): Promise<void> {
    return this.change(id, (user, canSignIn) => {
      refuse(denyEdit(caller.role, user));
      clear(user, name);
      if (isRoot(user.role) && !canSignIn(user))
        throw new AppError('conflict', 'last-sign-in-method', '无法解绑：这是超级管理员唯一可用的登录方式');
      return { actorId: caller.userId, action: 'user-unbind', subject: `user:${id}`, before: { binding: name } };
    });
  }

  /**
   * Locks the options meanwhile, so that no sign-in method that this decision relies on can be switched off at the same
   * time.
   */
  private change(
    id: number,
    apply: (user: User, canSignIn: (user: User) => boolean) => ReturnType<Parameters<UserStore['change']>[1]>,
  ): Promise<void> {
    return this.options.whileUnchanged(async ({ texts }) => {
      const forRoots = await this.options.methodsForRoots(texts);
      const canSignIn = (user: User): boolean =>
        user.passkeyCount > 0 ||
        (user.passwordHash !== '' && texts.PasswordLoginEnabled === 'true') ||
        (isRoot(user.role) ? forRoots : openMethods(texts)).some(({ binding }) => Boolean(user[binding]));
      await this.users.change(id, (user) => apply(user, canSignIn));
    });
  }
}

function clear(user: User, name: BindingName): void {
  if (name === 'email') user.email = '';
  else user[providerRows[name satisfies ProviderName].binding] = null;
}

const ownLastWayIn = (message: string): AppError => new AppError('conflict', 'own-last-sign-in-method', message);
