import { randomUUID } from 'node:crypto';
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
/** Of all that may be kept, for one user, whatever tokens there are. */
const USER_SHARE = 8;
const PURPOSE = 'idempotent-answer';

const recordSchema = z.object({
  /** `begun`: a run has begun under this id, and may have been charged. */
  state: z.enum(['begun', 'done']),
  print: z.string(),
  requestId: z.string(),
  /** The day whose counters have the room of the record. */
  day: z.int().optional(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
  /** Sealed; absent of an answer that was too large. */
  body: z.string().optional(),
});
type KeyRecord = z.infer<typeof recordSchema>;

export type Claim =
  /** To be run, under this id: that of an earlier run that died, so that both are one charge. */
  | { kind: 'run'; requestId: string; isFirst: boolean; run: Run }
  | { kind: 'busy' | 'different' | 'full' | 'not-kept' }
  | { kind: 'answer'; requestId: string; status: number; headers: OutgoingHttpHeaders; body: Buffer };

/** What may be claimed: a key of one token. */
export interface KeyName {
  scope: string;
  /** Whose share of all room it takes. */
  userId: number;
  key: string;
  /** Of the body and what it is sent to. */
  print: string;
}

/** A key while it is run: its lock has `owner` until another run takes it over. */
export interface Run extends KeyName {
  owner: string;
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
    const run = { ...name, owner: randomUUID() };
    if (!(await this.lock(run))) return { kind: 'busy' };
    try {
      return await this.begin(run, requestId);
    } catch (error) {
      await this.release(run).catch(() => undefined);
      throw error;
    }
  }

  /** With the lock, so that nobody else looks at the same time. */
  private async begin(run: Run, requestId: string): Promise<Claim> {
    const known = await this.find(run);
    if (known && (known.print !== run.print || known.state === 'done')) {
      await this.release(run);
      return this.answerOf(run, known);
    }
    if (known) return { kind: 'run', requestId: known.requestId, isFirst: false, run };
    const day = this.today();
    if (!(await this.takeRoom(run, RECORD_BYTES, day))) {
      await this.release(run);
      return { kind: 'full' };
    }
    await this.put(run, { state: 'begun', print: run.print, requestId, day });
    return { kind: 'run', requestId, isFirst: true, run };
  }

  /** The run is alive; a lock that lapsed meanwhile is taken again, unless somebody else has it. */
  async renew(run: Run): Promise<void> {
    for (const lock of this.locksOf(run)) {
      const owner = await this.keyValue.get(lock);
      if (owner === run.owner) await this.keyValue.set(lock, run.owner, LOCK_SECONDS);
      else if (owner === undefined) await this.keyValue.setIfAbsent(lock, run.owner, LOCK_SECONDS);
    }
  }

  /** Under all names at once, in one order for all replicas: two that use different secret keys exclude each other. */
  private async lock(run: Run): Promise<boolean> {
    for (const lock of this.locksOf(run)) {
      if (await this.keyValue.setIfAbsent(lock, run.owner, LOCK_SECONDS)) continue;
      await this.release(run);
      return false;
    }
    return true;
  }

  /** Whoever else may run the key by now runs it under the same id: both answers are of one charge, and either may be kept. */
  async keep(name: KeyName, requestId: string, { status, headers, body }: KeptAnswer): Promise<void> {
    const sealed = body && this.secrets.encrypt(PURPOSE, (await packed(body)).toString('base64'));
    const fits = sealed !== undefined && (await this.takeRoom(name, sealed.length, this.today()));
    const told = { ...headers } as NonNullable<KeyRecord['headers']>;
    for (const hop of ['connection', 'content-length', 'transfer-encoding']) delete told[hop];
    const record = { state: 'done', print: name.print, requestId, status, headers: told } as const;
    await this.put(name, { ...record, ...(fits && { body: sealed }) });
  }

  /** The run is over; what is known of the key stays. */
  async release(run: Run): Promise<void> {
    for (const lock of this.locksOf(run))
      if ((await this.keyValue.get(lock)) === run.owner) await this.keyValue.delete(lock);
  }

  /** Nothing was charged: the key may be used as if it never had been, unless somebody else has run it or runs it. */
  async forget(run: Run): Promise<void> {
    const [owners, known] = await Promise.all([this.ownersOf(run), this.find(run)]);
    if (owners.some((owner) => owner !== undefined && owner !== run.owner)) return;
    if (known?.state === 'begun') {
      for (const record of this.recordsOf(run)) await this.keyValue.delete(record);
      if (known.day !== undefined) await this.count(run, -RECORD_BYTES, known.day);
    }
    await this.release(run);
  }

  private ownersOf(run: Run): Promise<(string | undefined)[]> {
    return Promise.all(this.locksOf(run).map((lock) => this.keyValue.get(lock)));
  }

  private async answerOf(name: KeyName, known: KeyRecord): Promise<Claim> {
    if (known.print !== name.print) return { kind: 'different' };
    if (known.body === undefined) return { kind: 'not-kept' };
    const body = await unpacked(Buffer.from(this.secrets.decrypt(PURPOSE, known.body), 'base64'));
    const { requestId, status = 200, headers = {} } = known;
    return { kind: 'answer', requestId, status, headers, body };
  }

  private async find(name: KeyName): Promise<KeyRecord | undefined> {
    for (const record of this.recordsOf(name)) {
      const text = await this.keyValue.get(record);
      if (text !== undefined) return recordSchema.parse(JSON.parse(text));
    }
    return undefined;
  }

  private async put(name: KeyName, record: KeyRecord): Promise<void> {
    const [own = '', ...others] = this.recordsOf(name);
    await this.keyValue.set(own, JSON.stringify(record), KEPT_SECONDS);
    for (const other of others) await this.keyValue.delete(other);
  }

  /** Whether so many bytes more may be kept, by the user and by all. */
  private async takeRoom(name: KeyName, bytes: number, day: number): Promise<boolean> {
    const [mine, all] = await this.count(name, bytes, day);
    if (mine <= this.limit / USER_SHARE && all <= this.limit) return true;
    await this.count(name, -bytes, day);
    return false;
  }

  /** The bytes of the user and of all on that day, after these. */
  private count({ userId }: KeyName, bytes: number, day: number): Promise<[number, number]> {
    const counter = `idempotency-bytes:${day}`;
    return Promise.all([
      this.keyValue.increment(`${counter}:${userId}`, bytes, 2 * KEPT_SECONDS),
      this.keyValue.increment(counter, bytes, 2 * KEPT_SECONDS),
    ]);
  }

  private today(): number {
    return Math.floor(this.clock.seconds() / KEPT_SECONDS);
  }

  /** One, or two while the secret key is replaced. */
  private hashesOf({ scope, key }: KeyName): string[] {
    return this.secrets.hmacs('idempotency-key', `${scope}\n${key}`);
  }

  private recordsOf(name: KeyName): string[] {
    return this.hashesOf(name).map((hash) => `idempotency:${hash}`);
  }

  private locksOf(name: KeyName): string[] {
    return this.hashesOf(name)
      .map((hash) => `idempotency-lock:${hash}`)
      .sort();
  }
}
