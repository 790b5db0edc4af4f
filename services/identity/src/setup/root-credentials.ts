import { type NameFault, nameFault, plainName } from '@tollgate/contracts';
import type { Setup } from '@tollgate/contracts/api/setup';
import { lengthFault, textLimits } from '@tollgate/contracts/text-limits';
import { AppError } from '@tollgate/chassis';

/** Checks the wizard's fields in the order of the form, but the confirmation first, as documented. */
export function checkRootCredentials({ username = '', password = '', confirmPassword = '' }: Setup): void {
  checkName(plainName(username));
  if (password !== confirmPassword) throw refusal('setup-passwords-differ', '两次输入的密码不一致');
  const fault = lengthFault(password, textLimits.setupPassword);
  if (fault === 'short') throw refusal('setup-password-too-short', '密码长度至少为8个字符');
  if (fault === 'long')
    throw refusal('setup-password-too-long', `输入不合法 密码最多 ${textLimits.setupPassword.most} 个字符`);
}

const nameRefusals: Readonly<Record<NameFault, () => AppError>> = {
  missing: () => refusal('setup-username-missing', '请输入管理员用户名'),
  long: () => refusal('setup-username-too-long', `输入不合法 用户名最多 ${textLimits.setupUsername.most} 个字符`),
  likeEmail: () => refusal('setup-username-like-email', '输入不合法 用户名不能包含 @'),
  invisible: () => refusal('setup-username-invisible', '输入不合法 用户名包含不可见字符'),
  mixed: () => refusal('setup-username-mixed', '输入不合法 用户名混用了外观相似的字母'),
  erased: () => refusal('username-taken', '用户名已存在，或已注销'),
};

/** The rules of every name but its length, so that the administrator can save the name again later. */
function checkName(name: string): void {
  const fault = nameFault(name, textLimits.setupUsername);
  if (fault) throw nameRefusals[fault]();
}

const refusal = (code: string, message: string): AppError => new AppError('invalid', code, message);
