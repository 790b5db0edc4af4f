import type { CreateUser, UpdateUser, User } from '@tollgate/contracts/api/user';

export const MAX_USERNAME = 12;
export const MAX_DISPLAY_NAME = 20;
export const PASSWORD_LENGTH = { least: 8, most: 20 } as const;

export interface UserForm {
  username: string;
  displayName: string;
  password: string;
  group: string;
  /** Signed units added to the balance. */
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

/** Signed whole units; undefined when the text is none. */
export function parseDelta(text: string): number | undefined {
  const typed = text.trim().replace(/^\u2212/, '-');
  if (!/^[+-]?\d{1,15}$/.test(typed)) return undefined;
  return Number(typed) + 0;
}

/** Keys of what is wrong with a field, and what the sentence needs. */
export type FieldProblem = { key: string; params?: Record<string, number> };

export function usernameProblem(name: string): FieldProblem | undefined {
  const length = [...name.trim()].length;
  if (length === 0) return { key: 'form.noUsername' };
  if (length > MAX_USERNAME) return { key: 'form.longUsername', params: { max: MAX_USERNAME, now: length } };
  return name.includes('@') ? { key: 'form.atUsername' } : undefined;
}

export function displayNameProblem(name: string): FieldProblem | undefined {
  return name.length > MAX_DISPLAY_NAME
    ? { key: 'form.longDisplayName', params: { max: MAX_DISPLAY_NAME, now: name.length } }
    : undefined;
}

/** `needed`: a new account must have one; an old one keeps its own when the field is empty. */
export function passwordProblem(password: string, needed: boolean): FieldProblem | undefined {
  if (password === '') return needed ? { key: 'form.noPassword' } : undefined;
  const { least, most } = PASSWORD_LENGTH;
  return password.length < least || password.length > most
    ? { key: 'form.passwordLength', params: { min: least, max: most } }
    : undefined;
}

export const toCreate = ({ username, displayName, password }: UserForm): CreateUser => ({
  username: username.trim(),
  display_name: displayName.trim(),
  password,
});

/** Only what changed, and the balance as a difference: what was spent meanwhile stays spent. */
export function toUpdate(form: UserForm, user: User): UpdateUser {
  const delta = parseDelta(form.delta) ?? 0;
  const username = form.username.trim();
  const displayName = form.displayName.trim();
  return {
    id: user.id,
    ...(username !== user.username && { username }),
    ...(displayName !== user.display_name && { display_name: displayName }),
    ...(form.password !== '' && { password: form.password }),
    ...(form.group !== user.group && { group: form.group }),
    ...(delta !== 0 && { quota_delta: delta, reason: form.reason.trim() }),
  };
}

export const isChange = (update: UpdateUser): boolean => Object.keys(update).length > 1;
