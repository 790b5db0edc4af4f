import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Clock, Host, KeyValue, SecretBox } from '@tollgate/chassis';
import type { OutgoingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { KeptAnswer } from './kept-response.js';

const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** How long a key is known after its call. */
export const KEPT_SECONDS = 24 * 60 * 60;
/** A run that was not heard of for so long is dead. */
export const LOCK_SECONDS = 30;
/** What one key takes beside its answer, about. */
const RECORD_BYTES = 1024;
const MB = 1024 * 1024;
/** Of all that may be kept, for one token. */
const TOKEN_SHARE = 8;
const PURPOSE = 'idempotent-answer';

const recordSchema = z.object({
  /** `begun`: a run has begun under this id, and may have been charged. */
  state: z.enum(['begun', 'done']),
  print: z.string(),
  requestId: z.string(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
  /** Sealed; absent of an answer that was too large. */
  body: z.string().optional(),
});
type KeyRecord = z.infer<typeof recordSchema>;

export type Claim =
  /** To be run, under this id: that of an earlier run that died, so that both are one charge. */
  | { kind: 'run'; requestId: string; isFirst: boolean }
  | { kind: 'busy' | 'different' | 'full' | 'not-kept' }
  | { kind: 'answer'; requestId: string; status: number; headers: OutgoingHttpHeaders; body: Buffer };

/** What may be claimed: a key of one token. */
export interface KeyName {
  scope: string;
  key: string;
  /** Of the body and what it is sent to. */
  print: string;
}

/**
 * Keys of calls, known to all replicas: the record of a key for a day, and a lock that its run renews. All that is kept is bounded for the
 * whole installation, by counters of two days whose halves never add up to more.
 */
@Injectable()
export class IdempotencyStore {
  private readonly limit: number;

  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    host: Host,
  ) {
    this.limit = (host.env.TOLLGATE_IDEMPOTENCY_MB * MB) / 2;
  }

  async claim(name: KeyName, requestId: string): Promise<Claim> {
    const known = await this.find(name);
    if (known && (known.print !== name.print || known.state === 'done')) return this.answerOf(name, known);
    if (!(await this.keyValue.setIfAbsent(this.lockOf(name), requestId, LOCK_SECONDS))) return { kind: 'busy' };
    try {
      return await this.begin(name, requestId);
    } catch (error) {
      await this.release(name).catch(() => undefined);
      throw error;
    }
  }

  /** With the lock, so that nobody else looks at the same time. */
  private async begin(name: KeyName, requestId: string): Promise<Claim> {
    const known = await this.find(name);
    if (known && (known.print !== name.print || known.state === 'done')) {
      await this.release(name);
      return this.answerOf(name, known);
    }
    if (known) return { kind: 'run', requestId: known.requestId, isFirst: false };
    if (!(await this.takeRoom(name, RECORD_BYTES))) {
      await this.release(name);
      return { kind: 'full' };
    }
    await this.put(name, { state: 'begun', print: name.print, requestId });
    return { kind: 'run', requestId, isFirst: true };
  }

  /** The run is alive. */
  async renew(name: KeyName, requestId: string): Promise<void> {
    await this.keyValue.set(this.lockOf(name), requestId, LOCK_SECONDS);
  }

  async keep(name: KeyName, requestId: string, { status, headers, body }: KeptAnswer): Promise<void> {
    const sealed = body && this.secrets.encrypt(PURPOSE, (await packed(body)).toString('base64'));
    const fits = sealed !== undefined && (await this.takeRoom(name, sealed.length));
    const told = { ...headers } as NonNullable<KeyRecord['headers']>;
    for (const hop of ['connection', 'content-length', 'transfer-encoding']) delete told[hop];
    const record = { state: 'done', print: name.print, requestId, status, headers: told } as const;
    await this.put(name, { ...record, ...(fits && { body: sealed }) });
  }

  /** The run is over; what is known of the key stays. */
  async release(name: KeyName): Promise<void> {
    await this.keyValue.delete(this.lockOf(name));
  }

  /** Nothing was charged: the key may be used as if it never had been. */
  async forget(name: KeyName): Promise<void> {
    await this.keyValue.delete(this.recordOf(name), this.lockOf(name));
  }

  private async answerOf(name: KeyName, known: KeyRecord): Promise<Claim> {
    if (known.print !== name.print) return { kind: 'different' };
    if (known.body === undefined) return { kind: 'not-kept' };
    const body = await unpacked(Buffer.from(this.secrets.decrypt(PURPOSE, known.body), 'base64'));
    const { requestId, status = 200, headers = {} } = known;
    return { kind: 'answer', requestId, status, headers, body };
  }

  private async find(name: KeyName): Promise<KeyRecord | undefined> {
    const text = await this.keyValue.get(this.recordOf(name));
    return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
  }

  private put(name: KeyName, record: KeyRecord): Promise<void> {
    return this.keyValue.set(this.recordOf(name), JSON.stringify(record), KEPT_SECONDS);
  }

  /** Whether so many bytes more may be kept, by the token and by all. */
  private async takeRoom({ scope }: KeyName, bytes: number): Promise<boolean> {
    const day = Math.floor(this.clock.seconds() / KEPT_SECONDS);
    const [mine, all] = await Promise.all([
      this.keyValue.increment(`idempotency-bytes:${day}:${scope}`, bytes, 2 * KEPT_SECONDS),
      this.keyValue.increment(`idempotency-bytes:${day}`, bytes, 2 * KEPT_SECONDS),
    ]);
    if (mine <= this.limit / TOKEN_SHARE && all <= this.limit) return true;
    await Promise.all([
      this.keyValue.increment(`idempotency-bytes:${day}:${scope}`, -bytes, 2 * KEPT_SECONDS),
      this.keyValue.increment(`idempotency-bytes:${day}`, -bytes, 2 * KEPT_SECONDS),
    ]);
    return false;
  }

  private hashOf({ scope, key }: KeyName): string {
    return this.secrets.hmac('idempotency-key', `${scope}\n${key}`);
  }

  private recordOf(name: KeyName): string {
    return `idempotency:${this.hashOf(name)}`;
  }

  private lockOf(name: KeyName): string {
    return `idempotency-lock:${this.hashOf(name)}`;
  }
}
