import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyValue, SecretBox } from '@tollgate/chassis';

/** The purpose of a code; a code is valid for its own purpose only. */
export type CodePurpose = 'register' | `bind-email:${number}` | 'reset-password';

export const CODE_SECONDS = 10 * 60;
const MAX_WRONG_GUESSES = 5;
const DIGITS = 6;
const LINK_BYTES = 16;
const CODE = 'verification-code';

interface Kept {
  codeKey: string;
  guessesKey: string;
}

/**
 * Codes sent by mail. A code can be redeemed once within ten minutes and is discarded after a few wrong guesses. A new
 * code replaces the old one.
 */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  /** A code of digits, for a person to type. */
  issue(purpose: CodePurpose, email: string): Promise<string> {
    return this.keep(purpose, email, String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0'));
  }

  /** A code for a link: 32 random characters, which cannot be guessed. */
  issueForLink(purpose: CodePurpose, email: string): Promise<string> {
    return this.keep(purpose, email, randomBytes(LINK_BYTES).toString('hex'));
  }

  /** Whether the code is right, without redeeming it. */
  async fits(purpose: CodePurpose, email: string, code: string): Promise<boolean> {
    return (await this.guess(purpose, email, code)) !== undefined;
  }

  /** Whether the code is right; true only once. */
  async redeem(purpose: CodePurpose, email: string, code: string): Promise<boolean> {
    const right = await this.guess(purpose, email, code);
    return right !== undefined && (await this.keyValue.take(right.codeKey)) === right.expected;
  }

  /** A guess is counted before it is compared, so that parallel guesses gain nothing. A right code resets the count. */
  private async guess(
    purpose: CodePurpose,
    email: string,
    code: string,
  ): Promise<{ codeKey: string; expected: string } | undefined> {
    const { codeKey, guessesKey } = await this.sent(purpose, email);
    const expected = await this.keyValue.get(codeKey);
    if (expected === undefined) return undefined;
    const guesses = await this.keyValue.increment(guessesKey, 1, CODE_SECONDS);
    if (guesses > MAX_WRONG_GUESSES) {
      await this.keyValue.delete(codeKey);
      return undefined;
    }
    const digests = this.secrets.hmacs(CODE, code.trim());
    if (!digests.some((digest) => timingSafeEqual(Buffer.from(expected), Buffer.from(digest)))) return undefined;
    await this.keyValue.delete(guessesKey);
    return { codeKey, expected };
  }

  private async keep(purpose: CodePurpose, email: string, code: string): Promise<string> {
    const [own, ...others] = this.keysOf(purpose, email);
    for (const { codeKey } of others) await this.keyValue.delete(codeKey);
    await this.keyValue.delete(own.guessesKey);
    await this.keyValue.set(own.codeKey, this.secrets.hmac(CODE, code), CODE_SECONDS);
    return code;
  }

  /** The keys under which the code is stored: it may have been issued under a secret key that is now being replaced. */
  private async sent(purpose: CodePurpose, email: string): Promise<Kept> {
    const [own, ...others] = this.keysOf(purpose, email);
    for (const kept of others) if ((await this.keyValue.get(kept.codeKey)) !== undefined) return kept;
    return own;
  }

  private keysOf(purpose: CodePurpose, email: string): [Kept, ...Kept[]] {
    const keys = this.secrets.hmacs('verification-address', email).map((hash) => `code:${purpose}:${hash}`);
    return keys.map((key) => ({ codeKey: key, guessesKey: `${key}:guesses` })) as [Kept, ...Kept[]];
  }
}
