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

/** How long a key and its answer are kept after the call. */
export const KEPT_SECONDS = 24 * 60 * 60;
/** A run whose lock was not renewed for this long counts as dead. */
export const LOCK_SECONDS = 30;
/** Estimated bytes that a key takes in addition to its answer. */
const RECORD_BYTES = 1024;
const MB = 1024 * 1024;
/** One user may take an eighth of the whole space, regardless of the number of tokens. */
const USER_SHARE = 8;
const PURPOSE = 'idempotent-answer';

const recordSchema = z.object({
  /** `begun`: a run has begun under this id, and may have been charged. */
  state: z.enum(['begun', 'done']),
  print: z.string(),
  requestId: z.string(),
  /** Number of the run under this id; earlier runs died before they had a record. */
  generation: z.int().default(1),
  /** A run that died has written, or will write, the record of this id. */
  wasCharged: z.boolean().optional(),
  /** The day whose space counters include this record. */
  day: z.int().optional(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
  /** Encrypted; absent when the answer was too large to be kept. */
  body: z.string().optional(),
});
type KeyRecord = z.infer<typeof recordSchema>;

export type Claim =
  /**
   * The call is to be run under the id of `run`: a new id, the id of earlier runs that died without a record, or the id
   * whose record is already the charge.
   */
  | { kind: 'run'; isFirst: boolean; wasCharged: boolean; run: Run }
  | { kind: 'busy' | 'different' | 'full' | 'not-kept' }
  | { kind: 'answer'; requestId: string; status: number; headers: OutgoingHttpHeaders; body: Buffer };

/** The key of a call within the scope of one token. */
export interface KeyName {
  scope: string;
  /** The user whose share of the space the key takes. */
  userId: number;
  key: string;
  /** Hash of the body and of what it is sent to. */
  print: string;
}

/** A key with a run in progress; the lock holds `owner` until another run takes it over. */
export interface Run extends KeyName {
  owner: string;
  requestId: string;
  generation: number;
}

/** What the record of a run says: a charge, or a failure that costs nothing. */
export type Recorded = 'charged' | 'free';
/** `void`: the run was found dead before it had a record, and may not write one any more. */
type Mark = Recorded | 'void';

/**
 * The keys of calls, shared by all replicas: a record that is kept for a day, and a lock that the run renews. The space
 * of the whole installation is bounded by counters per day; each day may take half of it, because two days' records
 * exist at a time.
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
    const run = { ...name, owner: randomUUID(), requestId, generation: 1 };
    if (!(await this.lock(run))) return { kind: 'busy' };
    try {
      return await this.begin(run);
    } catch (error) {
      await this.release(run).catch(() => undefined);
      throw error;
    }
  }

  /** Called with the lock held, so that only one run decides. */
  private async begin(run: Run): Promise<Claim> {
    const known = await this.find(run);
    if (known && (known.print !== run.print || known.state === 'done')) {
      await this.release(run);
      return this.answerOf(run, known);
    }
    if (known) return this.takeOver(run, known);
    const day = this.today();
    if (!(await this.takeRoom(run, RECORD_BYTES, day))) {
      await this.release(run);
      return { kind: 'full' };
    }
    await this.put(run, { ...begunBy(run), day });
    return { kind: 'run', isFirst: true, wasCharged: false, run };
  }

  /**
   * Takes over after a run that died. One id has exactly one record, so whatever record the dead run may have written
   * decides whether this run writes another.
   */
  private async takeOver(run: Run, known: KeyRecord): Promise<Claim> {
    const { requestId, generation, day } = known;
    const mark = known.wasCharged ? 'charged' : await this.fence(known);
    if (mark === 'free') {
      await this.put(run, { ...begunBy(run), day });
      return { kind: 'run', isFirst: true, wasCharged: false, run };
    }
    const wasCharged = mark === 'charged';
    const next = { ...run, requestId, generation: wasCharged ? generation : generation + 1 };
    await this.put(next, { ...begunBy(next), day, wasCharged });
    return { kind: 'run', isFirst: false, wasCharged, run: next };
  }

  /** Prevents a dead run that has not begun its record from writing one; otherwise returns what its record says. */
  private async fence(known: KeyRecord): Promise<Mark> {
    const name = markOf(known);
    if (await this.keyValue.setIfAbsent(name, 'void', KEPT_SECONDS)) return 'void';
    const [mark = 'void'] = ((await this.keyValue.get(name)) ?? 'void').split(' ') as [Mark];
    return mark;
  }

  /** Claims the record of the run before its first byte is written; false when another run has claimed it. */
  async record(run: Run, recorded: Recorded): Promise<boolean> {
    const mark = `${recorded} ${run.owner}`;
    const name = markOf(run);
    return (await this.keyValue.setIfAbsent(name, mark, KEPT_SECONDS)) || (await this.keyValue.get(name)) === mark;
  }

  /** Extends the locks of a live run, and retakes those that lapsed. False when another run holds one. */
  async renew(run: Run): Promise<boolean> {
    let hasAll = true;
    for (const lock of this.locksOf(run)) {
      const has =
        (await this.keyValue.extend(lock, run.owner, LOCK_SECONDS)) ||
        (await this.keyValue.setIfAbsent(lock, run.owner, LOCK_SECONDS));
      hasAll &&= has;
    }
    return hasAll;
  }

  /**
   * Takes the lock under all hashes of the key, in the same order at all replicas, so that replicas that use different
   * secret keys exclude each other.
   */
  private async lock(run: Run): Promise<boolean> {
    for (const lock of this.locksOf(run)) {
      if (await this.keyValue.setIfAbsent(lock, run.owner, LOCK_SECONDS)) continue;
      await this.release(run);
      return false;
    }
    return true;
  }

  /**
   * Keeps an answer. Another run that has the key by now either makes up for this run or took over its record; both
   * answers belong to the same charge, so either may be kept.
   */
  async keep(name: KeyName, requestId: string, { status, headers, body }: KeptAnswer): Promise<void> {
    const sealed = body && this.secrets.encrypt(PURPOSE, (await packed(body)).toString('base64'));
    const fits = sealed !== undefined && (await this.takeRoom(name, sealed.length, this.today()));
    const keptHeaders = { ...headers } as NonNullable<KeyRecord['headers']>;
    for (const hop of ['connection', 'content-length', 'transfer-encoding']) delete keptHeaders[hop];
    const record = {
      state: 'done',
      print: name.print,
      requestId,
      generation: 1,
      status,
      headers: keptHeaders,
    } as const;
    await this.put(name, { ...record, ...(fits && { body: sealed }) });
  }

  /** Ends the run; the record of the key stays. */
  async release(run: Run): Promise<void> {
    for (const lock of this.locksOf(run)) await this.keyValue.deleteIf(lock, run.owner);
  }

  /** Deletes the key after a run that was not charged, unless another run has it. */
  async forget(run: Run): Promise<void> {
    // The renewed lock keeps other runs away for `LOCK_SECONDS`.
    if (!(await this.renew(run))) return this.release(run);
    const known = await this.find(run);
    if (known?.state === 'begun' && known.requestId === run.requestId && known.generation === run.generation) {
      // The mark of a run without a charge is not needed any more.
      for (const name of [...this.recordsOf(run), markOf(run)]) await this.keyValue.delete(name);
      if (known.day !== undefined) await this.count(run, -RECORD_BYTES, known.day);
    }
    await this.release(run);
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

  /** Counts more bytes; false, without counting them, when the user's or the common limit would be exceeded. */
  private async takeRoom(name: KeyName, bytes: number, day: number): Promise<boolean> {
    const [mine, all] = await this.count(name, bytes, day);
    if (mine <= this.limit / USER_SHARE && all <= this.limit) return true;
    await this.count(name, -bytes, day);
    return false;
  }

  /** Adds to the counters of that day; returns the new totals of the user and of all users. */
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

  /** One hash, or two while the secret key is being replaced. */
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

const begunBy = ({ print, requestId, generation }: Run): KeyRecord & { state: 'begun' } => ({
  ...{ state: 'begun', print, requestId, generation },
});

/**
 * The name of the mark that decides who writes the record. It is set once, either by the run itself or by the run that
 * takes over.
 */
const markOf = ({ requestId, generation }: Pick<Run, 'requestId' | 'generation'>): string =>
  `idempotency:record:${requestId}:${generation}`;
