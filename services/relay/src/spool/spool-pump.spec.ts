import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@tollgate/contracts';
import {
  Clock,
  type EventLog,
  type Host,
  type InternalClient,
  Lifecycle,
  Logger,
  type LogRecord,
  Metrics,
  RecordsRefused,
} from '@tollgate/chassis';
import { type DeadLetter, DeadLetters } from './dead-letters.js';
import { decodeFrames, encodeFrame, FrameKind } from './frames.js';
import { SpoolPump } from './spool-pump.js';
import { Spool } from './spool.js';

const event = (id: string, text = ''): EventEnvelope => ({ id, subject: '7', data: { text } }) as EventEnvelope;

describe('SpoolPump', () => {
  let dataDir: string;
  let lifecycle: Lifecycle;
  let spool: Spool;
  let metrics: Metrics;
  const taken: LogRecord[] = [];
  let refuses: (record: LogRecord) => boolean;
  let isBillingThere: boolean;
  /** While set, billing does not reply until this promise settles. */
  let hanging: PromiseWithResolvers<never> | undefined;
  /** Records that this process appended to the event log. */
  const appended = new Set<string>();
  /** How often billing was asked about records before they were sent. */
  let askedBefore: number;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'spool-pump-'));
    taken.length = 0;
    refuses = () => false;
    isBillingThere = true;
    hanging = undefined;
    appended.clear();
    askedBefore = 0;
    await start();
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  async function start(): Promise<void> {
    lifecycle = new Lifecycle();
    metrics = new Metrics('relay');
    const host = { dataDir, env: { TOLLGATE_SPOOL_LIMIT_MB: 16 } } as Host;
    const log = Logger.root('silent');
    spool = new Spool(host, new Clock(), log, lifecycle, metrics);
    const eventLog = {
      append: (topic: string, records: readonly LogRecord[]): Promise<void> => {
        taken.push(...records.filter((record) => !refuses(record)));
        for (const { value } of records) appended.add((JSON.parse(value) as EventEnvelope).id);
        const refusals = records.flatMap((record, index) => (refuses(record) ? [{ index, reason: 'too large' }] : []));
        return refusals.length > 0 ? Promise.reject(new RecordsRefused(topic, refusals)) : Promise.resolve();
      },
    } as EventLog;
    // Everything in the event log counts as booked at once.
    const booked = (): Set<string> => new Set(taken.map(({ value }) => (JSON.parse(value) as EventEnvelope).id));
    const internal = {
      call: (_: unknown, { ids }: { ids: string[] }) => {
        if (!appended.has(ids[0] ?? '')) askedBefore += 1;
        if (hanging) return hanging.promise;
        if (!isBillingThere) return Promise.reject(new Error('nobody is there'));
        const known = booked();
        return Promise.resolve({ unbooked: ids.filter((id) => !known.has(id)) });
      },
    } as unknown as InternalClient;
    const letters = new DeadLetters(host, log, metrics);
    new SpoolPump(spool, eventLog, internal, letters, new Clock(), log, lifecycle, metrics);
    await lifecycle.ready();
  }

  /** a, b, c … */
  const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => (index + 10).toString(36));
  const idsTaken = (): string[] => taken.map(({ value }) => (JSON.parse(value) as EventEnvelope).id);

  /** Leaves a killed process's segment, of which all but the last record is booked. */
  async function leaveBehind(count = 3): Promise<void> {
    await lifecycle.drain();
    const folder = join(dataDir, 'spool', '0');
    mkdirSync(folder, { recursive: true });
    const frames = namesOf(count).map((id) => encodeFrame(FrameKind.close, JSON.stringify(event(id))));
    writeFileSync(join(folder, '00000007.seg'), Buffer.concat(frames));
    taken.push(...namesOf(count - 1).map((id) => ({ key: '7', value: JSON.stringify(event(id)) })));
    await start();
  }

  it('sends only the unbooked records of a dead process', async () => {
    await leaveBehind();
    await lifecycle.drain();
    expect(idsTaken()).toEqual(['a', 'b', 'c']);
    expect(readdirSync(join(dataDir, 'spool', '0')).filter((name) => name.endsWith('.seg'))).toEqual([]);
  });

  it('sends all records where it cannot learn which are booked', async () => {
    isBillingThere = false;
    await leaveBehind();
    while (taken.length < 5) await new Promise((resolve) => setImmediate(resolve));
    isBillingThere = true;
    await lifecycle.drain();
    expect(idsTaken()).toEqual(['a', 'b', 'a', 'b', 'c']);
  });

  it.each([
    ['is not there', () => (isBillingThere = false)],
    ['connects and does not answer', () => (hanging = Promise.withResolvers<never>())],
  ])('asks once about what a dead process left while billing %s', async (_, fail) => {
    fail();
    await leaveBehind(501);
    while (appended.size < 501) await new Promise((resolve) => setImmediate(resolve));
    expect(askedBefore).toBe(1);
    isBillingThere = true;
    hanging?.reject(new Error('no answer'));
    hanging = undefined;
    await lifecycle.drain();
    expect(readdirSync(join(dataDir, 'spool', '0')).filter((name) => name.endsWith('.seg'))).toEqual([]);
  });

  const letters = (): DeadLetter[] => {
    const folder = join(dataDir, 'spool', 'dead-letters');
    return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as DeadLetter);
  };

  it('sends the bytes of the spool unchanged', async () => {
    await spool.close(event('a', 'ü 错 😀 "quoted"'));
    const [segment = ''] = readdirSync(join(dataDir, 'spool', '0')).filter((name) => name.endsWith('.seg'));
    const { frames } = decodeFrames(readFileSync(join(dataDir, 'spool', '0', segment)));
    await lifecycle.drain();
    const closed = frames.filter(({ kind }) => kind === FrameKind.close).map(({ payload }) => payload);
    expect(taken.map(({ value }) => value)).toEqual(closed);
  });

  it('writes a record that the log refuses for good to a file with the reason, once, and sends the others', async () => {
    refuses = ({ value }) => value.includes('endless');
    await spool.close(event('a'));
    await spool.close(event('b', 'endless'));
    await spool.close(event('c'));
    await lifecycle.drain();
    expect(taken.map(({ value }) => (JSON.parse(value) as EventEnvelope).id)).toEqual(['a', 'c']);
    expect(letters()).toEqual([
      { id: 'b', reason: 'too large', refusedAt: expect.any(String), record: JSON.stringify(event('b', 'endless')) },
    ]);
    expect(await metrics.registry.getSingleMetricAsString('tollgate_relay_dead_letters')).toMatch(/ 1$/m);
    // The refused record is settled, so nothing is left to be sent at the next start.
    expect(readdirSync(join(dataDir, 'spool', '0')).filter((name) => name.endsWith('.seg'))).toEqual([]);
  });
});
