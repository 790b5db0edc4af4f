import { Injectable } from '@nestjs/common';
import { AppError } from '@tollgate/chassis';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { verifyPassword } from '../credential/password.js';
import type { User } from './user.entity.js';

/** A new password. */
export interface Renewal {
  /** The hash of the current password, if the caller had to know that one. */
  checked?: string;
  /** The hash of the new password. */
  next: string;
}

/** The check that users who replace their own password know it. */
@Injectable()
export class OwnPassword {
  constructor(private readonly attempts: AttemptLimit) {}

  /** Throws `original-password-missing`, `original-password-wrong` or `too-many-attempts`. */
  async check({ id, passwordHash }: Pick<User, 'id' | 'passwordHash'>, original: string | undefined): Promise<void> {
    if (original === undefined)
      throw new AppError('invalid', 'original-password-missing', '请输入原密码', { field: 'original_password' });
    await this.attempts.admit('original-password', String(id));
    if (!(await verifyPassword(original, passwordHash))) throw originalWrong();
    await this.attempts.forget('original-password', String(id));
  }
}

/**
 * Refuses when the password was replaced since it was checked: otherwise somebody who knew the old one could undo a reset
 * by which an administrator or the owner has just locked them out.
 */
export function renewPassword(user: User, { checked, next }: Renewal): void {
  if (checked !== undefined && user.passwordHash !== checked) throw originalWrong();
  user.replacePassword(next);
}

const originalWrong = (): AppError =>
  new AppError('invalid', 'original-password-wrong', '原密码错误', { field: 'original_password' });
