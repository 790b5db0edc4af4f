import { Injectable } from '@nestjs/common';
import { AppError, OptionStore, OutboundClient } from '@tollgate/chassis';
import { z } from 'zod';

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';
const TIMEOUT_MS = 5000;

const answerSchema = z.object({ success: z.boolean() });

/** The bot check's result travels in the query of the calls it protects. */
export const turnstileQuerySchema = z.object({ turnstile: z.string().max(2048).catch('').default('') });

@Injectable()
export class Turnstile {
  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
  ) {}

  /** Every protected call needs a result of its own. */
  async check(token: string, address: string): Promise<void> {
    if (!this.options.get('TurnstileCheckEnabled')) return;
    if (token === '') throw new AppError('invalid', 'turnstile-missing', 'Turnstile token 为空');
    const secret = this.options.get('TurnstileSecretKey');
    const reply = await this.outbound.send({
      kind: 'admin',
      method: 'POST',
      url: VERIFY_URL,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ secret, response: token, remoteip: address }).toString(),
      timeoutMs: TIMEOUT_MS,
    });
    if (passed(reply.body)) return;
    throw new AppError('invalid', 'turnstile-failed', 'Turnstile 校验失败，请刷新重试！');
  }
}

function passed(body: Buffer): boolean {
  try {
    return answerSchema.parse(JSON.parse(body.toString('utf8'))).success;
  } catch {
    return false;
  }
}
