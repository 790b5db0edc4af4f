import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { parseAllowance } from '../outbound/address-policy.js';
import { OutboundClient, type OutboundReply } from '../outbound/outbound-client.js';
import { Clock } from '../service/clock.js';
import { UpstreamTokens, type TokenExchangeCall } from './upstream-tokens.js';

const HOUR = 3_600_000;

class HandClock extends Clock {
  at = 0;
  override monotonic(): number {
    return this.at;
  }
}

/** An upstream that issues `t1`, `t2`, … on each request, or fails. */
class Issuer extends OutboundClient {
  asked = 0;
  failure: AppError | undefined;
  private waiting: (() => void)[] = [];
  isSlow = false;

  constructor() {
    super(parseAllowance(''));
  }

  override async send(): Promise<OutboundReply> {
    this.asked += 1;
    const token = `t${this.asked}`;
    if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure) throw this.failure;
    return { status: 200, headers: {}, body: Buffer.from(token) };
  }

  answer(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const exchange = (id = 'a'): TokenExchangeCall => ({
  id,
  proxy: '',
  buildRequest: async () => ({ method: 'POST', url: 'https://issuer.example', headers: {} }),
  read: ({ body }) => ({ token: body.toString(), lifetimeMs: HOUR }),
});

describe('UpstreamTokens', () => {
  const make = () => {
    const clock = new HandClock();
    const issuer = new Issuer();
    return { clock, issuer, tokens: new UpstreamTokens(issuer, clock) };
  };

  it('runs one exchange for all waiting requests, and one for each key', async () => {
    const { issuer, tokens } = make();
    issuer.isSlow = true;
    const all = Promise.all(Array.from({ length: 20 }, () => tokens.get(exchange())));
    await new Promise(setImmediate);
    issuer.answer();
    expect(new Set(await all)).toEqual(new Set(['t1']));
    issuer.isSlow = false;
    expect(await tokens.get(exchange('b'))).toBe('t2');
    expect(issuer.asked).toBe(2);
  });

  it('renews a token before it ends while the old one is used, and waits for a new one after its end', async () => {
    const { clock, issuer, tokens } = make();
    await tokens.get(exchange());
    clock.at = HOUR - 4 * 60_000;
    issuer.isSlow = true;
    expect(await tokens.get(exchange())).toBe('t1');
    expect(await tokens.get(exchange())).toBe('t1');
    await new Promise(setImmediate);
    issuer.answer();
    await new Promise(setImmediate);
    expect(await tokens.get(exchange())).toBe('t2');
    expect(issuer.asked).toBe(2);
    issuer.isSlow = false;
    clock.at += HOUR - 1000;
    expect(await tokens.get(exchange())).toBe('t3');
  });

  it('keeps the old token when the exchange fails, and does not repeat that at once', async () => {
    const { clock, issuer, tokens } = make();
    await tokens.get(exchange());
    issuer.failure = new AppError('upstream', 'unreachable', 'nobody');
    clock.at = HOUR - 4 * 60_000;
    expect(await tokens.get(exchange())).toBe('t1');
    await new Promise(setImmediate);
    expect(await tokens.get(exchange())).toBe('t1');
    expect(issuer.asked).toBe(2);
    clock.at = HOUR;
    await expect(tokens.get(exchange())).rejects.toBe(issuer.failure);
    await expect(tokens.get(exchange())).rejects.toBe(issuer.failure);
    expect(issuer.asked).toBe(3);
    issuer.failure = undefined;
    clock.at += 3001;
    expect(await tokens.get(exchange())).toBe('t4');
  });

  it('discards a token that the upstream rejected', async () => {
    const { tokens } = make();
    await tokens.get(exchange());
    tokens.forget('a', 't1');
    expect(await tokens.get(exchange())).toBe('t2');
  });

  it('keeps a newer token than the one that the upstream rejected', async () => {
    const { tokens } = make();
    await tokens.get(exchange());
    tokens.forget('a', 't1');
    await tokens.get(exchange());
    // Of a call that was sent with the first token and is refused late.
    tokens.forget('a', 't1');
    expect(await tokens.get(exchange())).toBe('t2');
  });
});
