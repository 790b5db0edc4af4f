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
/** About how many bytes a key takes beside its answer. */
const RECORD_BYTES = 1024;
const MB = 1024 * 1024;
/** One user may take an eighth of all that may be kept, whatever tokens there are. */
const USER_SHARE = 8;
const PURPOSE = 'idempotent-answer';

const recordSchema = z.object({
  /** `begun`: a run has begun under this id, and may have been charged. */
  state: z.enum(['begun', 'done']),
  print: z.string(),
  requestId: z.string(),
  /** Which run under this id it is; the earlier ones were found dead before they had a record. */
  generation: z.int().default(1),
  /** A run that died has, or will have, the record of this id. */
  wasCharged: z.boolean().optional(),
  /** The day whose counters have the room of the record. */
  day: z.int().optional(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
  /** Sealed; absent of an answer that was too large. */
  body: z.string().optional(),
});
type KeyRecord = z.infer<typeof recordSchema>;

export type Claim =
  /** To be run, under the id of `run`: its own, or that of earlier ones that died without a record, or that of one whose record is the charge. */
  | { kind: 'run'; isFirst: boolean; wasCharged: boolean; run: Run }
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
  requestId: string;
  generation: number;
}

/** What the record of a run is: something to pay, or the failure of one that costs nothing. */
export type Recorded = 'charged' | 'free';
/** `void`: its run was found dead before it had a record, and may write none any more. */
type Mark = Recorded | 'void';

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
    const run = { ...name, owner: randomUUID(), requestId, generation: 1 };
    if (!(await this.lock(run))) return { kind: 'busy' };
    try {
      return await this.begin(run);
    } catch (error) {
      await this.release(run).catch(() => undefined);
      throw error;
    }
  }

  /** With the lock, so that nobody else looks at the same time. */
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

  /** After a run that died. One id has one record: what the dead one may have written decides whether this run writes another. */
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

  /** Keeps a run that is not heard of from a record that it has not begun, and tells of the one that it has. */
  private async fence(known: KeyRecord): Promise<Mark> {
    const name = markOf(known);
    if (await this.keyValue.setIfAbsent(name, 'void', KEPT_SECONDS)) return 'void';
    const [mark = 'void'] = ((await this.keyValue.get(name)) ?? 'void').split(' ') as [Mark];
    return mark;
  }

  /** Before the first byte of its record: whether that is still this run's to write. */
  async record(run: Run, recorded: Recorded): Promise<boolean> {
    const mark = `${recorded} ${run.owner}`;
    const name = markOf(run);
    return (await this.keyValue.setIfAbsent(name, mark, KEPT_SECONDS)) || (await this.keyValue.get(name)) === mark;
  }

  /** The run is alive; a lock that lapsed meanwhile is taken again, unless somebody else has it. Whether the run has the key now. */
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

  /** Under all names at once, in one order for all replicas: two that use different secret keys exclude each other. */
  private async lock(run: Run): Promise<boolean> {
    for (const lock of this.locksOf(run)) {
      if (await this.keyValue.setIfAbsent(lock, run.owner, LOCK_SECONDS)) continue;
      await this.release(run);
      return false;
    }
    return true;
  }

  /** Whoever else may run the key by now makes up for this run or has taken its record: both answers are of one charge, and either may be kept. */
  async keep(name: KeyName, requestId: string, { status, headers, body }: KeptAnswer): Promise<void> {
    const sealed = body && this.secrets.encrypt(PURPOSE, (await packed(body)).toString('base64'));
    const fits = sealed !== undefined && (await this.takeRoom(name, sealed.length, this.today()));
    const told = { ...headers } as NonNullable<KeyRecord['headers']>;
    for (const hop of ['connection', 'content-length', 'transfer-encoding']) delete told[hop];
    const record = { state: 'done', print: name.print, requestId, generation: 1, status, headers: told } as const;
    await this.put(name, { ...record, ...(fits && { body: sealed }) });
  }

  /** The run is over; what is known of the key stays. */
  async release(run: Run): Promise<void> {
    for (const lock of this.locksOf(run)) await this.keyValue.deleteIf(lock, run.owner);
  }

  /** Nothing was charged: the key may be used as if it never had been, unless somebody else has run it or runs it. */
  async forget(run: Run): Promise<void> {
    // From here on nobody takes over for as long as a lock lasts.
    if (!(await this.renew(run))) return this.release(run);
    const known = await this.find(run);
    if (known?.state === 'begun' && known.requestId === run.requestId && known.generation === run.generation) {
      // The mark of a failure is told by nothing any more.
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

const begunBy = ({ print, requestId, generation }: Run): KeyRecord & { state: 'begun' } => ({
  ...{ state: 'begun', print, requestId, generation },
});

/** Set once, by the run itself or by the one that takes over: whoever sets it decides about the record. */
const markOf = ({ requestId, generation }: Pick<Run, 'requestId' | 'generation'>): string =>
  `idempotency:record:${requestId}:${generation}`;
