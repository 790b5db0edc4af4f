import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, callForUser, OptionStore, OutboundClient } from '@tollgate/chassis';

const TIMEOUT_MS = 5_000;

/** HMAC of the body exactly as it is sent. */
const signatureOf = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

function webhookHeaders(secret: string, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(secret !== '' && { authorization: `Bearer ${secret}`, 'x-webhook-signature': signatureOf(secret, body) }),
  };
}

/** Posts notices to users' webhooks: directly, or through the operator's worker if one is set. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
  ) {}

  /** Throws `webhook-failed` for anything but a 2xx, whatever its body. Redirects are not followed, so they fail. */
  async send({ url, body, secret }: { url: string; body: string; secret: string }): Promise<void> {
    if (!url.startsWith('https://')) throw failed('webhook 地址必须使用 https', true);
    const headers = webhookHeaders(secret, body);
    const call = { method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS, onlyStatus: true } as const;
    const reply = await callForUser(this.outbound, this.options, call);
    if (reply.status < 200 || reply.status > 299) throw failed(`对方返回 HTTP ${reply.status}`);
  }
}

const failed = (reason: string, final = false): AppError =>
  new AppError('upstream', 'webhook-failed', reason, { params: { reason, final } });
