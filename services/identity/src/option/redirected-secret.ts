import { isOptionKey, type OptionKey, type OptionRow, optionRows, Role } from '@tollgate/contracts';
import { AppError, type Caller } from '@tollgate/chassis';

export interface OptionChange {
  key: OptionKey;
  value: string;
  /** Of all options, as they are in force. */
  texts: Readonly<Record<OptionKey, string>>;
  /** Who entered the text that is stored; undefined when none is. */
  enteredBy(key: OptionKey): number | undefined;
}

/**
 * Nobody below a super administrator sends a stored secret to another address, unless they were the last to enter it, and so know it.
 * So an administrator who moves the mail server enters its password again, and first.
 */
export function assertMayRedirect(
  { key, value, texts, enteredBy }: OptionChange,
  { role, userId }: Pick<Caller, 'role' | 'userId'>,
): void {
  const { receives: secret = '' }: OptionRow = optionRows[key];
  if (!isOptionKey(secret) || texts[secret] === '' || value === texts[key]) return;
  if (role >= Role.root || enteredBy(secret) === userId) return;
  throw new AppError('forbidden', 'option-secret-needed', `修改该项前，请先重新填写 ${secret}，或由超级管理员修改`, {
    params: { secret },
  });
}
