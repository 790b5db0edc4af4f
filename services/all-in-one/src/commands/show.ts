import { AppError } from '@tollgate/chassis';
import { everythingAbout } from '@tollgate/operations';
import { besideInstallation, say } from './installation.js';

/** Prints every row that names the subject, table by table, as JSON. */
export async function show([...words]: readonly string[]): Promise<void> {
  const subject = words.join(' ');
  if (subject === '')
    throw new AppError(
      'invalid',
      'subject-missing',
      'Name a request id, or wallet:5, token:7, order:…, code:3, task:…',
    );
  await besideInstallation(async ({ databaseUrl: url, log }) => {
    const found = await everythingAbout(subject, { url, log });
    say(JSON.stringify(found, undefined, 2));
    if (Object.keys(found).length === 0) process.exitCode = 1;
  });
}
