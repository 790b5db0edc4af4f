import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, randomText } from '@tollgate/chassis';
import { HashKeys } from '../hash-key/hash-keys.js';

const COUNT = 10;
const HALF = 5;
/** Letters of recovery codes, without look-alikes; ten letters are 49 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

const newHalf = (): string => randomText(HALF, LETTERS);

/**
 * Codes for users who have lost their second factor: shown once, stored as keyed hashes, each valid for one sign-in.
 */
@Injectable()
export class RecoveryCodes {
  constructor(
    private readonly em: EntityManager,
    private readonly hashKeys: HashKeys,
    private readonly clock: Clock,
  ) {}

  /** Replaces all codes of a user, in the caller's transaction. */
  async replace(userId: number): Promise<string[]> {
    const codes = Array.from({ length: COUNT }, () => `${newHalf()}-${newHalf()}`);
    await this.forget(userId);
    await this.em.execute('insert into "recovery_code" ("user_id", "hash") select ?, unnest(array[?]::text[])', [
      userId,
      await Promise.all(codes.map((code) => this.hashOf(userId, code))),
    ]);
    return codes;
  }

  async forget(userId: number): Promise<void> {
    await this.em.execute('delete from "recovery_code" where "user_id" = ?', [userId]);
  }

  /** Whether the code is right; true for only one of several concurrent calls with the same code. */
  async spend(userId: number, code: string): Promise<boolean> {
    const spent = await this.em.execute<object[]>(
      'update "recovery_code" set "used_at" = ? where "user_id" = ? and "hash" = ? and "used_at" is null returning "id"',
      [new Date(this.clock.now()), userId, await this.hashOf(userId, code)],
    );
    return spent.length > 0;
  }

  async left(userId: number): Promise<number> {
    const [row] = await this.em.execute<{ count: string }[]>(
      'select count(*) as "count" from "recovery_code" where "user_id" = ? and "used_at" is null',
      [userId],
    );
    return Number(row?.count ?? 0);
  }

  /** Ignores capitals, dashes and spaces, however the code was copied. */
  private hashOf(userId: number, code: string): Promise<string> {
    return this.hashKeys.hmac('recovery-code', `${userId}\n${code.toLowerCase().replace(/[^a-z\d]/g, '')}`);
  }
}
