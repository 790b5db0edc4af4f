import { adminAction, isRoot, optionChanged, UserStatus } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { generatePassword, hashPassword } from '../credential/password.js';
import { addEvent, clearFactors, holdUser, markChanged, type Query, type Rescued, unattended } from './rescue-rows.js';

/**
 * The options that can keep out everybody who signs in by a password, with the value that lets them in, which is also
 * the default.
 */
const DOOR = { PasswordLoginEnabled: 'true', TurnstileCheckEnabled: 'false' } as const;
type DoorSwitch = keyof typeof DOOR;
const switchValue = 'select "value", "revision" from "option" where "key" = $1';
const setSwitch = `with next as (update "revision" set "value" = "value" + 1 where "name" = 'option' returning "value")
  update "option" set "value" = $2, "revision" = next."value", "updated_by" = $3, "updated_at" = now() from next
  where "key" = $1 returning "option"."revision"`;
/** Also removes the access token, since somebody who knew the old password may have created it. */
const setPassword = `update "users" set "password_hash" = $2, "access_token_hash" = null, "status" = ${UserStatus.enabled} where "id" = $1`;

interface LetIn extends Rescued {
  /** Generated; shown once and stored only as a hash. */
  password: string;
  /** The options that were changed because they kept out everybody who signs in by a password. */
  switched: readonly DoorSwitch[];
  /** Whether the account had been banned or locked. */
  enabled: boolean;
}

/**
 * Restores access for a super administrator who cannot sign in any more: sets a new password, removes all second
 * factors, enables the account, turns password sign-in on and the bot check off (which refuses everybody when its keys
 * are wrong). Ends every session and the access token. Can run while the product is running. Throws `user-not-found`,
 * and `rank-too-low` for users of a lower rank, whom an administrator can help in the console.
 */
export async function letIn(query: Query, user: string): Promise<LetIn> {
  const row = await holdUser(query, user);
  const { id, username, role, status, totp, passkeys } = row;
  const enabled = status !== UserStatus.enabled;
  if (!isRoot(role)) {
    const help = 'Only a super administrator is let in like this; they help everybody else in the console.';
    throw new AppError('invalid', 'rank-too-low', `"${username}" (user ${id}) is none. ${help}`);
  }
  const password = generatePassword();
  await query(setPassword, [id, await hashPassword(password)]);
  await clearFactors(query, id);
  const switched: DoorSwitch[] = [];
  for (const name of Object.keys(DOOR) as DoorSwitch[]) if (await openDoor(query, name, row)) switched.push(name);
  await markChanged(query, id);
  await addEvent(query, adminAction, {
    ...unattended(row),
    action: 'user-let-in',
    subject: `user:${id}`,
    before: { totp, passkeys, ...(enabled && { status }) },
    after: { by: 'command line', passwordChanged: true, ...(enabled && { status: UserStatus.enabled }) },
  });
  return { id, username, password, switched, enabled };
}

/** Returns false when the option already has the needed value. */
async function openDoor(query: Query, name: DoorSwitch, user: Rescued): Promise<boolean> {
  const [was] = await query<{ value: string; revision: string }>(switchValue, [name]);
  const value = DOOR[name];
  if (was === undefined || was.value === value) return false;
  const [now] = await query<{ revision: string }>(setSwitch, [name, value, user.id]);
  const revision = Number(now?.revision);
  await addEvent(query, optionChanged, { key: name, revision });
  await addEvent(query, adminAction, {
    ...unattended(user),
    action: 'option-update',
    subject: `option:${name}`,
    before: { value: was.value, revision: Number(was.revision) },
    after: { value, revision },
  });
  return true;
}
