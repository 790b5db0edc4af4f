import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import type { OtherSecrets } from './secret-box.js';

/** As for TOLLGATE_SECRET_KEY. */
const LEAST_LENGTH = 32;

/** The secret of an existing installation; `undefined` when the next start would generate one. */
export function findSecretKey(given: string | undefined, dataDir: string): string | undefined {
  const file = join(dataDir, 'secret-key');
  return given ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
}

/** The secret from the environment, else the one in the data folder, which is generated once and readable by its owner only. */
export function secretKeyFor(given: string | undefined, dataDir: string): { secret: string; file?: string } {
  if (given !== undefined) return { secret: given };
  const file = join(dataDir, 'secret-key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // An empty file would be taken for a lost key at the next start.
    if (syscall === 'write') rmSync(file, { force: true });
    if (code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < LEAST_LENGTH)
    throw new AppError(
      'unavailable',
      'secret-key-missing',
      `${file} holds no secret key of at least ${LEAST_LENGTH} characters. Put the file back from a copy, or set TOLLGATE_SECRET_KEY; delete it only if nothing was ever stored here.`,
    );
  return { secret, file };
}

/** The secrets that are accepted beside the current one during a replacement. */
export const otherSecrets = (
  env: Pick<Env, 'TOLLGATE_SECRET_KEY_PREVIOUS' | 'TOLLGATE_SECRET_KEY_NEXT'>,
): OtherSecrets => ({ previous: env.TOLLGATE_SECRET_KEY_PREVIOUS, next: env.TOLLGATE_SECRET_KEY_NEXT });
