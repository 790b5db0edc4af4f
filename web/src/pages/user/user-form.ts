import type { CreateUser, UpdateUser, User } from '@tollgate/contracts/api/user';
import { lengthFault, lengthOf, textLimits } from '@tollgate/contracts/text-limits';
import { plainName } from '@tollgate/contracts/user-name';
import type { TextOf } from '../../app/i18n/text-keys.js';
import { changesOf } from '../../components/forms/changes-of.js';
import type { TextProblem } from '../../components/forms/text-problem.js';

export interface UserForm {
  username: string;
  displayName: string;
  password: string;
  group: string;
  /** Signed quota units that are added to the balance. */
  delta: string;
  reason: string;
}

export const blankUser: UserForm = { username: '', displayName: '', password: '', group: '', delta: '', reason: '' };

export const formOf = ({ username, display_name: displayName, group }: User): UserForm => ({
  ...blankUser,
  username,
  displayName,
  group,
});

/** Parses signed whole units; `undefined` when the text is no such number. */
export function parseDelta(text: string): number | undefined {
  const typed = text.trim().replace(/^\u2212/, '-');
  if (!/^[+-]?\d{1,15}$/.test(typed)) return undefined;
  return Number(typed) + 0;
}

export type UserProblem = TextProblem<TextOf<'user'>>;

/** `own`: the user's present name, which is always valid, even if it breaks newer rules. */
export function usernameProblem(name: string, own?: string): UserProblem | undefined {
  if (name === own) return undefined;
  const plain = plainName(name);
  const now = lengthOf(plain, textLimits.username);
  if (now === 0) return { key: 'form.noUsername' };
  if (lengthFault(plain, textLimits.username))
    return { key: 'form.longUsername', params: { max: textLimits.username.most, now } };
  return plain.includes('@') ? { key: 'form.atUsername' } : undefined;
}

export function displayNameProblem(name: string): UserProblem | undefined {
  const sent = name.trim();
  return lengthFault(sent, textLimits.displayName)
    ? {
        key: 'form.longDisplayName',
        params: { max: textLimits.displayName.most, now: lengthOf(sent, textLimits.displayName) },
      }
    : undefined;
}

/** `needed`: a new account must have a password; for an existing one an empty field keeps it. */
export function passwordProblem(password: string, needed: boolean): UserProblem | undefined {
  if (password === '') return needed ? { key: 'form.noPassword' } : undefined;
  const { least, most } = textLimits.password;
  return lengthFault(password, textLimits.password)
    ? { key: 'form.passwordLength', params: { min: least ?? 0, max: most } }
    : undefined;
}

export const toCreate = ({ username, displayName, password }: UserForm): CreateUser => ({
  username: username.trim(),
  display_name: displayName.trim(),
  password,
});

/**
 * Only the fields that differ from the loaded values. The balance is sent as a difference, so that quota spent
 * meanwhile stays spent.
 */
export function toUpdate(form: UserForm, seen: UserForm, id: number): UpdateUser {
  const delta = parseDelta(form.delta) ?? 0;
  return {
    id,
    ...changesOf(
      { username: form.username.trim(), display_name: form.displayName.trim(), group: form.group },
      { username: seen.username, display_name: seen.displayName, group: seen.group },
    ),
    ...(form.password !== '' && { password: form.password }),
    ...(delta !== 0 && { quota_delta: delta, reason: form.reason.trim() }),
  };
}
