import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Host, SecretBox } from '@tollgate/chassis';

const PURPOSE = 'setup-token';
const LENGTH = 32;

/**
 * Proves that a person who sets the system up from another machine can read its output. The token is derived from the
 * secret key, so every replica has the same one and nothing is stored; it is not used after the set-up.
 */
@Injectable()
export class SetupToken {
  private readonly value: string;

  constructor(host: Host, secrets: SecretBox) {
    this.value = host.env.TOLLGATE_SETUP_TOKEN ?? secrets.hmac(PURPOSE, '').slice(0, LENGTH);
  }

  note(): string {
    return `set-up token: ${this.value} (the wizard asks for it when it is opened from another machine)`;
  }

  /** Throws `setup-token-wrong` for a wrong or missing token. */
  require(given: string): void {
    if (timingSafeEqual(digest(given.trim()), digest(this.value))) return;
    throw new AppError('forbidden', 'setup-token-wrong', '初始化令牌不正确，请填写启动日志中 set-up token 一行的内容', {
      status: 403,
      field: 'setup_token',
    });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
