import { Injectable } from '@nestjs/common';
import { AppError, Host, KeyValue, SecretBox } from '@tollgate/chassis';

const MINUTE = 60_000;

/**
 * Guesses at one account, besides the gateway's limits by address. An address is stopped early, and so is a browser that is
 * signed in to the account; strangers are also counted together, and only they.
 */
const rules = {
  'login-by-address': { limit: 20, windowMs: 20 * MINUTE },
  'login-by-session': { limit: 20, windowMs: 20 * MINUTE },
  'login-of-strangers': { limit: 100, windowMs: 20 * MINUTE },
  /** Another code comes no sooner than the pages offer one. Counted by purpose, so that a stranger's question holds up nobody who is signed in. */
  'code-again': { limit: 1, windowMs: 30_000 },
  /** Nobody's mailbox is filled by others. */
  'mail-to-address': { limit: 6, windowMs: 10 * MINUTE },
  /** Codes of the second step, once the password was right. */
  'second-factor': { limit: 20, windowMs: 20 * MINUTE },
  'original-password': { limit: 10, windowMs: 15 * MINUTE },
  /** Whole archives of a person. */
  export: { limit: 10, windowMs: 60 * MINUTE },
} as const;
export type AttemptRule = keyof typeof rules;

@Injectable()
export class AttemptLimit {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
    private readonly host: Host,
  ) {}

  /** Counts one attempt before it is made, so that guesses in parallel count too. */
  async admit(rule: AttemptRule, ...subject: string[]): Promise<void> {
    if (this.host.env.TOLLGATE_RATE_LIMITS === 'off') return;
    const { limit, windowMs } = rules[rule];
    const { admitted, retryAfterMs } = await this.keyValue.admit(this.keyOf(rule, subject), limit, windowMs);
    if (admitted) return;
    throw new AppError('rate-limited', 'too-many-attempts', '请求次数过多，请稍后再试！', {
      retryAfter: retryAfterMs / 1000,
    });
  }

  /** The right answer clears the count. */
  async forget(rule: AttemptRule, ...subject: string[]): Promise<void> {
    await this.keyValue.delete(this.keyOf(rule, subject));
  }

  /** Hashed, because what people type as their name may be anything of any length. */
  private keyOf(rule: AttemptRule, subject: string[]): string {
    return `attempt:${rule}:${this.secrets.hmac('attempt-subject', subject.join('\n'))}`;
  }
}
