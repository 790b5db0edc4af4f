import { Injectable } from '@nestjs/common';
import { AppError, Host, KeyValue, SecretBox } from '@tollgate/chassis';

const MINUTE = 60_000;

/**
 * Limits of attempts per account, in addition to the gateway's limits per address. Each address has its own limit, as
 * has each browser that is signed in to the account; all strangers together have another one.
 */
const rules = {
  'login-by-address': { limit: 20, windowMs: 20 * MINUTE },
  'login-by-session': { limit: 20, windowMs: 20 * MINUTE },
  'login-of-strangers': { limit: 100, windowMs: 20 * MINUTE },
  /**
   * As long as the pages wait before they offer another code. Counted per purpose, so that a request by a stranger does
   * not delay a signed-in user.
   */
  'code-again': { limit: 1, windowMs: 30_000 },
  /** Keeps others from filling somebody's mailbox. */
  'mail-to-address': { limit: 6, windowMs: 10 * MINUTE },
  /** Codes of the second step, after the right password. */
  'second-factor': { limit: 20, windowMs: 20 * MINUTE },
  'original-password': { limit: 10, windowMs: 15 * MINUTE },
  /** Exports of all data of a person. */
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

  /** Counts the attempt before it is made, so that parallel attempts are limited too. */
  async admit(rule: AttemptRule, ...subject: string[]): Promise<void> {
    if (this.host.env.TOLLGATE_RATE_LIMITS === 'off') return;
    const { limit, windowMs } = rules[rule];
    const { admitted, retryAfterMs } = await this.keyValue.admit(this.keyOf(rule, subject), limit, windowMs);
    if (admitted) return;
    throw new AppError('rate-limited', 'too-many-attempts', '请求次数过多，请稍后再试！', {
      retryAfter: retryAfterMs / 1000,
    });
  }

  /** Resets the count after a successful attempt. */
  async forget(rule: AttemptRule, ...subject: string[]): Promise<void> {
    await this.keyValue.delete(this.keyOf(rule, subject));
  }

  /** Hashed, because a typed user name can have any content and length. */
  private keyOf(rule: AttemptRule, subject: string[]): string {
    return `attempt:${rule}:${this.secrets.hmac('attempt-subject', subject.join('\n'))}`;
  }
}
