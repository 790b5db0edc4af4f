import { mixesAlphabets, plainName } from '@tollgate/contracts';
import type { Setup } from '@tollgate/contracts/api/setup';
import { AppError } from '@tollgate/chassis';

/** Other names end at 12 characters; the first run of the documents knows no such rule, so this is only a bound. */
const MAX_USERNAME = 64;
const MIN_PASSWORD = 8;
/** Longer than anybody types, short enough to hash. */
const MAX_PASSWORD = 128;

/** The rules of the wizard's account, in the order of its fields; the confirmation first, as documented. */
export function checkRootCredentials({ username = '', password = '', confirmPassword = '' }: Setup): void {
  const name = plainName(username);
  if (name === '') throw refusal('setup-username-missing', '请输入管理员用户名');
  if ([...name].length > MAX_USERNAME)
    throw refusal('setup-username-too-long', `输入不合法 用户名最多 ${MAX_USERNAME} 个字符`);
  if (name.includes('@')) throw refusal('setup-username-like-email', '输入不合法 用户名不能包含 @');
  if (mixesAlphabets(name)) throw refusal('setup-username-mixed', '输入不合法 用户名混用了外观相似的字母');
  if (password !== confirmPassword) throw refusal('setup-passwords-differ', '两次输入的密码不一致');
  if ([...password].length < MIN_PASSWORD) throw refusal('setup-password-too-short', '密码长度至少为8个字符');
  if (password.length > MAX_PASSWORD)
    throw refusal('setup-password-too-long', `输入不合法 密码最多 ${MAX_PASSWORD} 个字符`);
}

const refusal = (code: string, message: string): AppError => new AppError('invalid', code, message);
