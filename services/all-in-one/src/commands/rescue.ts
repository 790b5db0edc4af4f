import { AppError } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { letIn, removeFactors } from '@tollgate/identity';
import { besideInstallation, say } from './installation.js';

type Rescue<Outcome> = (...parameters: Parameters<typeof removeFactors>) => Promise<Outcome>;

/** Runs a rescue in one transaction on identity's tables. */
async function rescued<Outcome>(args: readonly string[], rescue: Rescue<Outcome>): Promise<Outcome> {
  const [user, ...rest] = args;
  if (user === undefined || rest.length > 0)
    throw new AppError('invalid', 'arguments-invalid', 'Name one user, by name or by number.');
  return besideInstallation(async ({ databaseUrl, log }) => {
    const client = await connectPatiently(databaseUrl, log);
    try {
      await client.query('set search_path = identity');
      await client.query('begin');
      const outcome = await rescue(
        async <Row extends object>(text: string, values: unknown[] = []) =>
          (await client.query<Row>(text, values)).rows,
        user,
      );
      await client.query('commit');
      return outcome;
    } finally {
      await client.end();
    }
  });
}

/** Removes the second factors of a user who has lost all of them. */
export async function removeSecondFactors(args: readonly string[]): Promise<void> {
  const { id, username } = await rescued(args, removeFactors);
  say(`"${username}" (user ${id}) signs in without a second factor; every session of theirs has ended.`);
}

const SWITCHED = {
  PasswordLoginEnabled: 'Signing in by a password is on again for everybody (PasswordLoginEnabled).',
  TurnstileCheckEnabled:
    'The Turnstile check of visitors is off (TurnstileCheckEnabled); look at its keys before it is switched on again.',
};

/** Sets a new password for a super administrator who cannot sign in any more. */
export async function letSuperAdministratorIn(args: readonly string[]): Promise<void> {
  const { id, username, password, switched, enabled } = await rescued(args, letIn);
  say(`"${username}" (user ${id}) signs in by this password, which is shown nowhere again: ${password}`);
  say('Second factors are gone; sessions and the access token have ended. Change the password after signing in.');
  if (enabled) say('The account had been disabled; it is enabled again, and so are its tokens.');
  for (const name of switched) say(SWITCHED[name]);
}
