import { adminAction, defaultOptions, isRoot, type OptionKey } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { openMethods } from '../option/sign-in-methods.js';
import { addEvent, clearFactors, holdUser, markChanged, type Query, type Rescued, unattended } from './rescue-rows.js';

/**
 * For a user who has lost authenticator app, passkeys and recovery codes and whom no higher-ranked user can help, above
 * all a super administrator: removes the second factors, so that the password or a provider account is enough again,
 * and ends every session. Can run while the product is running; the services learn of it as of any other change. Throws
 * `user-not-found`, `totp-not-set`, and `last-sign-in-method` when passkeys are the user's only way to sign in.
 */
export async function removeFactors(query: Query, user: string): Promise<Rescued> {
  const row = await holdUser(query, user);
  const { id, username, totp, passkeys } = row;
  if (!totp && passkeys === 0)
    throw new AppError('invalid', 'totp-not-set', `"${username}" (user ${id}) has no second factor.`);
  if (passkeys > 0) await requireAnotherWayIn(query, row);
  await clearFactors(query, id);
  await markChanged(query, id);
  await addEvent(query, adminAction, {
    ...unattended(row),
    action: 'user-remove-factors',
    subject: `user:${id}`,
    before: { totp, passkeys },
    after: { by: 'command line' },
  });
  return { id, username };
}

async function requireAnotherWayIn(query: Query, user: Awaited<ReturnType<typeof holdUser>>): Promise<void> {
  const { id, username, role, password, bindings } = user;
  const rows = await query<{ key: string; value: string }>('select "key", "value" from "option"');
  const texts: Record<OptionKey, string> = {
    ...defaultOptions,
    ...Object.fromEntries(rows.map(({ key, value }) => [key, value])),
  };
  if (password && texts.PasswordLoginEnabled === 'true') return;
  // A method whose settings another administrator may have changed does not count for a super administrator.
  const methods = openMethods(texts).filter(({ voucher }) => voucher === undefined || !isRoot(role));
  if (methods.some(({ binding }) => Boolean(bindings[binding]))) return;
  const reason = password ? 'signing in by a password is off (PasswordLoginEnabled)' : 'they have no password';
  const help = isRoot(role) ? ` "tollgate let-in ${id}" opens the door.` : '';
  throw new AppError(
    'conflict',
    'last-sign-in-method',
    `Passkeys are the only way in of "${username}" (user ${id}), because ${reason}. Nothing was removed.${help}`,
  );
}
