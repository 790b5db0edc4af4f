import { Injectable } from '@nestjs/common';
import { Clock } from '../service/clock.js';
import { growingCache } from '../key-value/growing-cache.js';
import { OutboundClient, type OutboundReply } from '../outbound/outbound-client.js';

/** How a key is exchanged for a token. The address may be one that an operator has set. */
export interface TokenExchangeCall {
  /** Identifies the key and the place of the exchange; not secret. */
  id: string;
  buildRequest(): Promise<{ method: 'GET' | 'POST'; url: string; headers: Record<string, string>; body?: Buffer }>;
  proxy: string;
  /** Throws when the reply contains no token. */
  read(reply: OutboundReply): { token: string; lifetimeMs: number };
}

interface Entry {
  token?: string;
  /** Monotonic time in milliseconds, like all times here. */
  endsAt: number;
  renewsAt: number;
  running?: Promise<string>;
  failure?: { error: unknown; until: number };
}

const MAX_TOKENS = 10_000;
const MAX_REPLY_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
/** Milliseconds before its end at which a token is no longer used, so that it is still valid when a request arrives. */
const SPARE_MS = 30_000;
/** Milliseconds before its end at which a token is renewed, while the old one is used; a short-lived token is renewed at half its life. */
const AHEAD_MS = 5 * 60_000;
/** Milliseconds after a failed exchange during which it is not repeated. */
const FAILURE_MS = 3000;

/**
 * Tokens that upstreams issue for a key, cached in this process; each replica has its own. Requests that need the same token share one
 * exchange.
 */
@Injectable()
export class UpstreamTokens {
  private readonly entries = growingCache<string, Entry>({ most: MAX_TOKENS });

  constructor(
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
  ) {}

  /** Rejects with the error of the exchange's `read`, or with the `AppError` of a call that was not answered. */
  async get(exchange: TokenExchangeCall): Promise<string> {
    let entry = this.entries.get(exchange.id);
    if (!entry) this.entries.set(exchange.id, (entry = { endsAt: 0, renewsAt: 0 }));
    const now = this.clock.monotonic();
    const isGood = entry.token !== undefined && now < entry.endsAt;
    if (isGood && now < entry.renewsAt) return entry.token as string;
    if (entry.failure && now < entry.failure.until) {
      if (isGood) return entry.token as string;
      throw entry.failure.error;
    }
    const running = (entry.running ??= this.renew(exchange, entry));
    if (!isGood) return running;
    // A failed renewal is recorded in the entry; the old token is used until it ends.
    running.catch(() => undefined);
    return entry.token as string;
  }

  /** Discards a token that the upstream no longer accepts, unless it has been replaced meanwhile. */
  forget(id: string, token: string): void {
    const entry = this.entries.get(id);
    if (entry?.token === token && !entry.running) this.entries.delete(id);
  }

  private async renew(exchange: TokenExchangeCall, entry: Entry): Promise<string> {
    try {
      const request = await exchange.buildRequest();
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES, proxy: exchange.proxy };
      const reply = await this.outbound.send({ kind: 'channel', ...request, ...limits });
      const { token, lifetimeMs } = exchange.read(reply);
      const now = this.clock.monotonic();
      entry.token = token;
      entry.endsAt = now + lifetimeMs - Math.min(SPARE_MS, lifetimeMs / 10);
      entry.renewsAt = now + lifetimeMs - Math.min(AHEAD_MS, lifetimeMs / 2);
      entry.failure = undefined;
      return token;
    } catch (error) {
      entry.failure = { error, until: this.clock.monotonic() + FAILURE_MS };
      throw error;
    } finally {
      entry.running = undefined;
    }
  }
}
