import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import { type Logger, AppError, inFreshContext, type Admission, KeyValue } from '@tollgate/chassis';

const PATIENCE_MS = 15_000;

interface RedisKeyValueOptions {
  url: string;
  log: Logger;
  /** PEM file of the authorities that sign the server's certificate; Node's by default. */
  caFile?: string;
}

/** Increments and sets the TTL atomically: a process that died in between would leave a counter without expiry. */
const INCREMENT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return count`;

/** Atomic, because between a read and a write the key may expire and be set by another caller. */
const EXTEND = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const DELETE_IF = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** A sorted set of admissions by the server's clock, so that replicas with different clocks share one window. */
const ADMIT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
  local freeing = redis.call('ZRANGE', KEYS[1], count - limit, count - limit, 'WITHSCORES')
  local wait = window
  if freeing[2] then wait = tonumber(freeing[2]) + window - now end
  return {0, 0, math.max(1, wait)}
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('PEXPIRE', KEYS[1], window)
return {1, limit - count - 1, 0}`;

interface Commands {
  tollgateIncrement(key: string, by: number, ttlMs: number): Promise<number>;
  tollgateExtend(key: string, value: string, ttlMs: number): Promise<0 | 1>;
  tollgateDeleteIf(key: string, value: string): Promise<0 | 1>;
  tollgateAdmit(...args: [string, number, number, string]): Promise<[number, number, number]>;
}

const COMMANDS = {
  tollgateIncrement: { numberOfKeys: 1, lua: INCREMENT },
  tollgateExtend: { numberOfKeys: 1, lua: EXTEND },
  tollgateDeleteIf: { numberOfKeys: 1, lua: DELETE_IF },
  tollgateAdmit: { numberOfKeys: 1, lua: ADMIT },
};

/** `KeyValue` for several replicas. Without Redis a command fails after a few seconds instead of waiting forever. */
export class RedisKeyValue extends KeyValue {
  private readonly redis: Redis & Commands;
  private readonly subscriber: Redis;
  private readonly listeners = new Map<string, Set<(message: string) => void>>();
  private readonly url: string;
  private readonly lossListeners = new Set<(isLosing: boolean) => void>();
  private failing = false;
  /** Why the last connection failed, which the errors of commands do not tell. */
  private fault: string | undefined;
  private losing = false;

  constructor({ url, log, caFile }: RedisKeyValueOptions) {
    super();
    this.url = url;
    const options: RedisOptions = {
      connectTimeout: 5_000,
      // A server that vanished without closing its connections is noticed by a connection without commands, too.
      keepAlive: 10_000,
      commandTimeout: 5_000,
      maxRetriesPerRequest: 2,
      enableAutoPipelining: true,
      ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    };
    this.redis = new Redis(url, { ...options, scripts: COMMANDS }) as Redis & Commands;
    // Subscriptions survive any outage: they are renewed when the server is available again.
    this.subscriber = new Redis(url, {
      ...options,
      enableAutoPipelining: false,
      // The check asks with a command that is refused once a subscription was sent, and the connection would be dropped.
      enableReadyCheck: false,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
    });
    for (const connection of [this.redis, this.subscriber]) {
      connection.on('error', (error: Error) => this.complain(log, error));
      connection.on('ready', () => (this.failing = false));
    }
    this.subscriber.on('close', () => this.noteLoss(true));
    this.subscriber.on('ready', () => void this.renewed());
    this.subscriber.on('message', (channel: string, message: string) => {
      for (const listener of this.listeners.get(channel) ?? []) inFreshContext(() => listener(message));
    });
  }

  /** The client resubscribes by itself; the reply to a further subscribe command confirms that it has. */
  private async renewed(): Promise<void> {
    const channels = [...this.listeners.keys()];
    // Without a reply the connection has been lost again, and the next one is checked.
    if (channels.length > 0) await this.subscriber.subscribe(...channels).catch(() => undefined);
    if (this.subscriber.status === 'ready') this.noteLoss(false);
  }

  private noteLoss(isLosing: boolean): void {
    if (isLosing === this.losing) return;
    this.losing = isLosing;
    for (const listener of this.lossListeners) inFreshContext(() => listener(isLosing));
  }

  private complain(log: Logger, error: Error): void {
    if (!this.failing) log.warn('no connection to Redis, will go on trying; check REDIS_URL', { error });
    this.failing = true;
    this.fault = error.message || (error as NodeJS.ErrnoException).code;
  }

  /** Waits for a server that is starting; throws a clear error if none answers in time. */
  async start(patienceMs = PATIENCE_MS): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.ping();
      } catch (error) {
        if (performance.now() > deadline) throw unreachable(this.url, this.fault ?? (error as Error).message);
        await pause(250);
      }
    }
  }

  async get(key: string): Promise<string | undefined> {
    return (await answered(this.redis.get(key))) ?? undefined;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await answered(this.redis.set(key, value, 'PX', toMs(ttlSeconds)));
  }

  async delete(...keys: string[]): Promise<void> {
    if (keys.length > 0) await answered(this.redis.del(...keys));
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await answered(this.redis.set(key, value, 'PX', toMs(ttlSeconds), 'NX'))) === 'OK';
  }

  async extend(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await answered(this.redis.tollgateExtend(key, value, toMs(ttlSeconds)))) === 1;
  }

  async deleteIf(key: string, value: string): Promise<boolean> {
    return (await answered(this.redis.tollgateDeleteIf(key, value))) === 1;
  }

  async take(key: string): Promise<string | undefined> {
    return (await answered(this.redis.getdel(key))) ?? undefined;
  }

  increment(key: string, by: number, ttlSeconds: number): Promise<number> {
    return answered(this.redis.tollgateIncrement(key, by, toMs(ttlSeconds)));
  }

  async admit(key: string, limit: number, windowMs: number): Promise<Admission> {
    const place = randomUUID();
    const answer = await answered(this.redis.tollgateAdmit(key, limit, windowMs, place));
    const [admitted, remaining, retryAfterMs] = answer;
    return { admitted: admitted === 1, remaining, retryAfterMs, ...(admitted === 1 && { place }) };
  }

  async giveBack(key: string, place: string): Promise<void> {
    await answered(this.redis.zrem(key, place));
  }

  async publish(channel: string, message: string): Promise<void> {
    await answered(this.redis.publish(channel, message));
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>> {
    const own = (message: string): void => listener(message);
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(own));
    await this.subscriber.subscribe(channel);
    return async () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.listeners.get(channel) !== listeners) return;
      this.listeners.delete(channel);
      // Not awaited, because without a server it takes until one is back, and a service that drains must not wait for that.
      void this.subscriber.unsubscribe(channel).catch(() => undefined);
    };
  }

  onLoss(listener: (isLosing: boolean) => void): () => void {
    this.lossListeners.add(listener);
    if (this.losing) listener(true);
    return () => this.lossListeners.delete(listener);
  }

  async ping(): Promise<void> {
    await this.redis.ping();
  }

  async stop(): Promise<void> {
    this.listeners.clear();
    this.lossListeners.clear();
    cut(this.subscriber);
    // Waits for the replies to commands already sent; without a server there is nothing to wait for.
    await this.redis.quit().catch(() => cut(this.redis));
  }
}

/**
 * Closes a connection at once. During the TLS handshake it must not be closed gracefully: the server would answer with an alert, whose
 * second half the client emits as an error after its listeners are removed, which would end the process.
 */
function cut(connection: Redis): void {
  (connection as { stream?: Duplex }).stream?.destroy();
  connection.disconnect();
}

/** Errors of the server that pass with time; any other error reply is a bug. */
const PASSING_REPLY = /^(LOADING|READONLY|OOM|MASTERDOWN|CLUSTERDOWN|BUSY|TRYAGAIN)/;

/** A command without a reply is an outage, which callers must be able to distinguish from a bug. */
async function answered<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ReplyError' && !PASSING_REPLY.test(message)) throw error;
    throw new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
      cause: error,
      retryAfter: 2,
    });
  }
}

const toMs = (seconds: number): number => Math.max(1, Math.round(seconds * 1000));

function unreachable(url: string, reason: string): AppError {
  const { host } = new URL(url);
  const explanation = `No connection to Redis at ${host}: ${reason}. Check REDIS_URL and that the server runs.`;
  return new AppError('unavailable', 'redis-unreachable', explanation);
}
