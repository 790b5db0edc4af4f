import { AppError } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { removeFactors } from '@tollgate/identity';
import { besideInstallation, say } from './installation.js';

/** Lets somebody in by the password alone who has lost every second factor. */
export async function removeSecondFactors([user, ...rest]: readonly string[]): Promise<void> {
  if (user === undefined || rest.length > 0)
    throw new AppError('invalid', 'arguments-invalid', 'Name one user, by name or by number.');
  await besideInstallation(async ({ databaseUrl, log }) => {
    const client = await connectPatiently(databaseUrl, log);
    try {
      await client.query('set search_path = identity');
      await client.query('begin');
      const { id, username } = await removeFactors(
        async <Row extends object>(text: string, values: unknown[] = []) =>
          (await client.query<Row>(text, values)).rows,
        user,
      );
      await client.query('commit');
      say(`"${username}" (user ${id}) signs in without a second factor; every session of theirs has ended.`);
    } finally {
      await client.end();
    }
  });
}
