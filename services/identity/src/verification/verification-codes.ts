import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyValue, SecretBox } from '@tollgate/chassis';

/** What a code was sent for; one never serves another. */
export type CodePurpose = 'register' | `bind-email:${number}` | 'reset-password';

export const CODE_SECONDS = 10 * 60;
const MAX_WRONG_GUESSES = 5;
const DIGITS = 6;
const LINK_BYTES = 16;

/** Codes sent by mail: single-use, ten minutes, and burnt by a few wrong guesses. A new one replaces the old. */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  /** To be typed. */
  issue(purpose: CodePurpose, email: string): Promise<string> {
    return this.keep(purpose, email, String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0'));
  }

  /** To stand in a link: 32 characters that nobody guesses. */
  issueForLink(purpose: CodePurpose, email: string): Promise<string> {
    return this.keep(purpose, email, randomBytes(LINK_BYTES).toString('hex'));
  }

  /** True once, for the right code. Every guess is counted before it is compared, so parallel ones gain nothing. */
  async redeem(purpose: CodePurpose, email: string, code: string): Promise<boolean> {
    const { codeKey, guessesKey } = this.keysOf(purpose, email);
    const expected = await this.keyValue.get(codeKey);
    if (expected === undefined) return false;
    const guesses = await this.keyValue.increment(guessesKey, 1, CODE_SECONDS);
    if (guesses > MAX_WRONG_GUESSES) {
      await this.keyValue.delete(codeKey);
      return false;
    }
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(this.digest(code.trim())))) return false;
    return (await this.keyValue.take(codeKey)) === expected;
  }

  private async keep(purpose: CodePurpose, email: string, code: string): Promise<string> {
    const { codeKey, guessesKey } = this.keysOf(purpose, email);
    await this.keyValue.delete(guessesKey);
    await this.keyValue.set(codeKey, this.digest(code), CODE_SECONDS);
    return code;
  }

  private digest(code: string): string {
    return this.secrets.hmac('verification-code', code);
  }

  private keysOf(purpose: CodePurpose, email: string): { codeKey: string; guessesKey: string } {
    const key = `code:${purpose}:${this.secrets.hmac('verification-address', email)}`;
    return { codeKey: key, guessesKey: `${key}:guesses` };
  }
}
