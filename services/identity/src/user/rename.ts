import { lengthFault, textLimits } from '@tollgate/contracts/text-limits';
import { AppError } from '@tollgate/chassis';
import type { User } from './user.entity.js';

/**
 * The set-up wizard allows longer names than other forms. A long name is accepted when a form sends it back unchanged,
 * but not as a new name.
 */
export function refuseLongName(user: User, username = user.username): void {
  if (username === user.username || !lengthFault(username, textLimits.username)) return;
  const reason = `输入不合法 用户名最多 ${textLimits.username.most} 个字符`;
  const fields = [{ path: 'username', code: 'username-too-long', params: { reason } }];
  throw new AppError('invalid', 'invalid-input', reason, { fields });
}

export function rename(user: User, username = user.username): void {
  refuseLongName(user, username);
  if (username !== user.username) user.rename(username);
}
