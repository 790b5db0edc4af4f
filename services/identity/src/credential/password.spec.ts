import { describe, expect, it } from '@jest/globals';
import { hashPassword, verifyPassword } from './password.js';

describe('passwords', () => {
  it('are kept as salted Argon2id hashes that name their cost', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
    expect(first).not.toBe(second);
    expect(await verifyPassword('correct horse', first)).toBe(true);
    expect(await verifyPassword('correct horsf', first)).toBe(false);
  });

  it('never match an account without a hash, or one that is no Argon2id text', async () => {
    expect(await verifyPassword('', undefined)).toBe(false);
    expect(await verifyPassword('', '')).toBe(false);
    expect(await verifyPassword('secret', '$2a$10$abcdefghijklmnopqrstuv')).toBe(false);
  });

  it('do the same work for an account that does not exist', async () => {
    const hash = await hashPassword('12345678');
    const time = async (stored: string | undefined): Promise<number> => {
      const start = performance.now();
      for (let round = 0; round < 5; round += 1) await verifyPassword('wrong password', stored);
      return performance.now() - start;
    };
    await time(hash); // warm-up
    expect(await time(undefined)).toBeGreaterThan((await time(hash)) / 5);
  });
});
