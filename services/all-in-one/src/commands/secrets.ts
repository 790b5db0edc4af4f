import { AppError, findSecretKey, otherSecrets, readEnv, SecretBox } from '@tollgate/chassis';
import { countSealed, rotateSecrets, type SealedCount } from '@tollgate/operations';
import { allServices } from '../index.js';
import { workOf } from './arguments.js';
import { besideInstallation, type Installation, say } from './installation.js';

/** `status` counts ciphertexts by secret key, `rotate` encrypts everything with the key in use. */
export async function secrets([name = '', ...rest]: readonly string[]): Promise<void> {
  const work = workOf({ status, rotate }, name);
  if (!work || rest.length > 0)
    throw new AppError('invalid', 'arguments-invalid', 'Say secrets status or secrets rotate.');
  if (work === rotate) requireTwoKeys();
  await besideInstallation(work);
}

async function status(installation: Installation): Promise<void> {
  const box = boxOf(installation);
  printCounts(await countSealed({ ...partsOf(installation), secrets: box }), box);
}

/**
 * With one key alone there is nothing to rotate: the command was not told what the processes were, and would take the
 * key they leave for the one in use.
 */
function requireTwoKeys(): void {
  const { previous, next } = otherSecrets(readEnv());
  if (previous === undefined && next === undefined)
    throw new AppError(
      'invalid',
      'secret-key-missing',
      'Nothing was rotated: this command knows one key only. Set TOLLGATE_SECRET_KEY and TOLLGATE_SECRET_KEY_PREVIOUS for it as for the processes of the product, here or in .env.',
    );
}

async function rotate(installation: Installation): Promise<void> {
  const box = boxOf(installation);
  const { places, resealed, unreadable } = await rotateSecrets({ ...partsOf(installation), secrets: box });
  for (const row of unreadable) say(`UNREADABLE ${row}`);
  say(`${resealed} sealed anew.`);
  const left = printCounts(places, box);
  if (left === 0) {
    say(
      'Done: TOLLGATE_SECRET_KEY_PREVIOUS may be taken away. A day from now nothing of it is left in Redis but sessions older than the change.',
    );
    return;
  }
  say(
    unreadable.length > 0
      ? 'NOT done. What is named UNREADABLE was sealed with a key that is not set here: set it as TOLLGATE_SECRET_KEY_PREVIOUS, or enter these secrets anew.'
      : 'NOT done: something still seals with another key. Give every replica the new TOLLGATE_SECRET_KEY, then run this again.',
  );
  process.exitCode = 1;
}

/** Prints the counts and returns how many ciphertexts still use another key. */
function printCounts(places: readonly SealedCount[], { keyId }: SecretBox): number {
  for (const { place, all, left } of places) say(`  ${place}: ${all} sealed, ${left} of them not with ${keyId}`);
  const left = places.reduce((sum, place) => sum + place.left, 0);
  say(`Key in use: ${keyId}. Left: ${left}.`);
  return left;
}

const partsOf = ({ databaseUrl: url, log }: Installation) => ({ services: allServices, url, log });

/**
 * The secret keys of the installation as configured. Throws `secret-key-missing` with a message that begins with
 * `lack`.
 */
export function boxOf({ env, dataDir }: Installation, lack = 'This needs'): SecretBox {
  const secret = findSecretKey(env.TOLLGATE_SECRET_KEY, dataDir);
  if (secret === undefined)
    throw new AppError(
      'invalid',
      'secret-key-missing',
      `${lack} TOLLGATE_SECRET_KEY or a file secret-key in ${dataDir} (TOLLGATE_DATA_DIR).`,
    );
  return new SecretBox(secret, otherSecrets(env));
}
