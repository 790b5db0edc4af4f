import { isOptionKey, type OptionKey, type OptionRow, optionRows, Role } from '@tollgate/contracts';
import { AppError, type Caller } from '@tollgate/chassis';

interface OptionChange {
  key: OptionKey;
  value: string;
  /** Values of all options in force. */
  texts: Readonly<Record<OptionKey, string>>;
  /** The user who entered the stored value; `undefined` when there is none. */
  enteredBy(key: OptionKey): number | undefined;
}

/**
 * Throws when a user below super administrator would send a stored secret to another address, unless they entered that
 * secret last and so know it. An administrator who moves the mail server must therefore enter its password again first.
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
