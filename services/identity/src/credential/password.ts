import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { CLEAR_LETTERS_AND_DIGITS, randomText } from '@tollgate/chassis';

const derive = promisify(argon2);

/**
 * OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. Stored with each hash, so that it can be raised
 * later.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** In KiB; far above what any stored hash needs. Keeps a damaged row from using up the machine's memory. */
const MAX_MEMORY = 1_048_576;

const LENGTH = 16;

/** A password that somebody has to type, or to replace at once. */
export const generatePassword = (): string => randomText(LENGTH, CLEAR_LETTERS_AND_DIGITS);

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>;

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const encode = (cost: Cost, salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(tag)}`;

const pattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/;

/** Argon2id in the PHC string format, which contains salt and cost. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive('argon2id', { message: password, nonce: salt, tagLength: TAG_BYTES, ...COST });
  return encode(COST, salt, tag);
}

/**
 * Compared with when there is no user or no password, so that the reply takes equally long. Its tag is random, so no
 * password matches it.
 */
const nobody = encode(COST, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

/** Takes equally long whether or not there is a hash to compare with. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const known = hash === undefined || hash === '' ? undefined : pattern.exec(hash);
  const [, memory, passes, parallelism, salt = '', tag = ''] = known ?? pattern.exec(nobody) ?? [];
  const expected = Buffer.from(tag, 'base64');
  if (Number(memory) > MAX_MEMORY) return false;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const parameters = { message: password, nonce: Buffer.from(salt, 'base64'), tagLength: expected.length, ...cost };
  const actual = await derive('argon2id', parameters);
  return timingSafeEqual(actual, expected) && known != null;
}
