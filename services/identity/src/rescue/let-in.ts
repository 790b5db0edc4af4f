import { adminAction, isRoot, optionChanged } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { generatePassword, hashPassword } from '../credential/password.js';
import { addEvent, clearFactors, holdUser, markChanged, type Query, type Rescued, unattended } from './rescue-rows.js';

const SWITCH = 'PasswordLoginEnabled';
const switchValue = `select "value", "revision" from "option" where "key" = '${SWITCH}'`;
const switchOn = `with next as (update "revision" set "value" = "value" + 1 where "name" = 'option' returning "value")
  update "option" set "value" = 'true', "revision" = next."value", "updated_by" = $1, "updated_at" = now() from next
  where "key" = '${SWITCH}' returning "option"."revision"`;
/** Whoever knew the old password may have taken an access token. */
const setPassword = 'update "users" set "password_hash" = $2, "access_token_hash" = null where "id" = $1';

export interface LetIn extends Rescued {
  /** Kept nowhere. */
  password: string;
  /** Whether signing in by a password had been off for everybody. */
  switchedOn: boolean;
}

/**
 * For a super administrator who has nothing left to sign in by: a new password, no second factor, and signing in by a password is on again. Every
 * session and the access token end. Beside a product that runs. Throws `user-not-found`, and `rank-too-low` for anybody below, who is helped in
 * the console.
 */
export async function letIn(query: Query, user: string): Promise<LetIn> {
  const row = await holdUser(query, user);
  const { id, username, role, totp, passkeys } = row;
  if (!isRoot(role)) {
    const help = 'Only a super administrator is let in like this; they help everybody else in the console.';
    throw new AppError('invalid', 'rank-too-low', `"${username}" (user ${id}) is none. ${help}`);
  }
  const password = generatePassword();
  await query(setPassword, [id, await hashPassword(password)]);
  await clearFactors(query, id);
  const switchedOn = await openPasswordLogin(query, row);
  await markChanged(query, id);
  await addEvent(query, adminAction, {
    ...unattended(row),
    action: 'user-let-in',
    subject: `user:${id}`,
    before: { totp, passkeys },
    after: { by: 'command line', passwordChanged: true },
  });
  return { id, username, password, switchedOn };
}

/** False where it is on already, which is the default. */
async function openPasswordLogin(query: Query, user: Rescued): Promise<boolean> {
  const [was] = await query<{ value: string; revision: string }>(switchValue);
  if (was?.value !== 'false') return false;
  const [now] = await query<{ revision: string }>(switchOn, [user.id]);
  const revision = Number(now?.revision);
  await addEvent(query, optionChanged, { key: SWITCH, revision });
  await addEvent(query, adminAction, {
    ...unattended(user),
    action: 'option-update',
    subject: `option:${SWITCH}`,
    before: { value: was.value, revision: Number(was.revision) },
    after: { value: 'true', revision },
  });
  return true;
}
