import { randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyValue, SecretBox } from '@tollgate/chassis';

/** What a code was sent for; one never serves another. */
export type CodePurpose = 'register' | 'bind-email';

const TTL_SECONDS = 10 * 60;
const MAX_WRONG_GUESSES = 5;
const DIGITS = 6;

/** Codes sent by mail: single-use, ten minutes, and burnt by a few wrong guesses. A new one replaces the old. */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  async issue(purpose: CodePurpose, email: string): Promise<string> {
    const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
    const { codeKey, guessesKey } = this.keysOf(purpose, email);
    await this.keyValue.delete(guessesKey);
    await this.keyValue.set(codeKey, this.digest(code), TTL_SECONDS);
    return code;
  }

  /** True once, for the right code. Every guess is counted before it is compared, so parallel ones gain nothing. */
  async redeem(purpose: CodePurpose, email: string, code: string): Promise<boolean> {
    const { codeKey, guessesKey } = this.keysOf(purpose, email);
    const expected = await this.keyValue.get(codeKey);
    if (expected === undefined) return false;
    const guesses = await this.keyValue.increment(guessesKey, 1, TTL_SECONDS);
    if (guesses > MAX_WRONG_GUESSES) {
      await this.keyValue.delete(codeKey);
      return false;
    }
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(this.digest(code.trim())))) return false;
    return (await this.keyValue.take(codeKey)) === expected;
  }

  private digest(code: string): string {
    return this.secrets.hmac('verification-code', code);
  }

  private keysOf(purpose: CodePurpose, email: string): { codeKey: string; guessesKey: string } {
    const key = `code:${purpose}:${this.secrets.hmac('verification-address', email)}`;
    return { codeKey: key, guessesKey: `${key}:guesses` };
  }
}
