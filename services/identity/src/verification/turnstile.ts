import { Injectable } from '@nestjs/common';
import { AppError, OptionStore, OutboundClient, type OutboundReply } from '@tollgate/chassis';
import { z } from 'zod';
import { parseReply } from '../parse-reply.js';

const TIMEOUT_MS = 5000;
const MAX_BYTES = 64 * 1024;

const answerSchema = z.object({ success: z.boolean() });

/** Protected calls carry the result of the bot check in their query. */
export const turnstileQuerySchema = z.object({ turnstile: z.string().max(2048).catch('').default('') });

@Injectable()
export class Turnstile {
  /** Address of Cloudflare's verification service; tests replace it. */
  address = 'https://challenges.cloudflare.com';

  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
  ) {}

  /** A result is valid for one call only. */
  async check(token: string, address: string): Promise<void> {
    if (!this.options.get('TurnstileCheckEnabled')) return;
    if (token === '') throw new AppError('invalid', 'turnstile-missing', 'Turnstile token 为空');
    const { body } = await this.verify(token, address);
    if (parseReply(answerSchema, body)?.success) return;
    throw new AppError('invalid', 'turnstile-failed', 'Turnstile 校验失败，请刷新重试！');
  }

  /**
   * When Cloudflare cannot be reached or fails, the error says so and asks the visitor to try again, since nothing is
   * known about the visitor.
   */
  private async verify(response: string, remoteip: string): Promise<OutboundReply> {
    const secret = this.options.get('TurnstileSecretKey');
    try {
      const reply = await this.outbound.send({
        kind: 'admin',
        method: 'POST',
        url: `${this.address}/turnstile/v0/siteverify`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret, response, remoteip }).toString(),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      if (reply.status < 500) return reply;
      throw serviceAway();
    } catch (error) {
      throw serviceAway(error);
    }
  }
}

const serviceAway = (cause?: unknown): AppError =>
  new AppError('upstream', 'turnstile-unavailable', '暂时无法连接 Turnstile 校验服务，请稍后重试', { cause });
