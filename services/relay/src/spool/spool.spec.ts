import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventEnvelope } from '@tollgate/contracts';
import { type Host, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { HandClock } from '../../test/clocks.js';
import type { ProgressRecord } from './recovery.js';
import { SegmentWriter } from './segment-writer.js';
import { type Pending, Spool } from './spool.js';

const event = (id: string, quota: number, outcome = 'completed'): EventEnvelope =>
  ({ id, subject: `user of ${id}`, data: { quota, outcome } }) as EventEnvelope;
const opened = (id: string, quota = 1) => ({ id, event: event(id, quota, 'interrupted') });
const progressed = (id: string, quota: number): ProgressRecord => ({ id, data: { quota } }) as ProgressRecord;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** Bytes of the heap that are still referenced. */
function collectedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('Spool', () => {
  let dataDir: string;
  let clock: HandClock;
  const lifecycles: Lifecycle[] = [];
  /** Spools that hold an open file and a locked folder. */
  const open = new Set<Spool>();

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'spool-'));
    clock = new HandClock();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const lifecycle of lifecycles.splice(0)) await lifecycle.drain();
    for (const spool of open) await shut(spool);
    rmSync(dataDir, { recursive: true });
  });

  async function started(epoch: string): Promise<Spool> {
    const lifecycle = new Lifecycle();
    lifecycles.push(lifecycle);
    const host = { dataDir, env: { TOLLGATE_SPOOL_LIMIT_MB: 16 } } as Host;
    const spool = new Spool(host, clock, Logger.root('silent'), lifecycle, new Metrics('relay'));
    spool.noteEpoch(epoch);
    await spool.open();
    open.add(spool);
    return spool;
  }

  it('names its folder and TOLLGATE_DATA_DIR when it cannot be written', async () => {
    writeFileSync(join(dataDir, 'spool'), '');
    await expect(started('a')).rejects.toThrow(
      `${join(dataDir, 'spool')} cannot be used: ENOTDIR: not a directory, mkdir '${join(dataDir, 'spool', '0')}'. TOLLGATE_DATA_DIR must be a folder`,
    );
  });

  async function shut(spool: Spool): Promise<void> {
    open.delete(spool);
    await spool.shut();
  }

  /** The state after a SIGKILL: nothing more is written, and the folder's lock is released. */
  async function die(spool: Spool): Promise<void> {
    const folder = join(dataDir, 'spool', '0');
    cpSync(folder, join(dataDir, 'copy'), { recursive: true });
    await shut(spool);
    rmSync(folder, { recursive: true });
    cpSync(join(dataDir, 'copy'), folder, { recursive: true });
    rmSync(join(dataDir, 'copy'), { recursive: true });
  }

  const records = async (spool: Spool): Promise<unknown[]> =>
    (await spool.payloadsOf(spool.unsent))
      .map((payload) => JSON.parse(payload) as EventEnvelope)
      .map(({ id, data }) => [id, data]);
  const segments = (slot = 0): string[] =>
    readdirSync(join(dataDir, 'spool', String(slot))).filter((name) => name.endsWith('.seg'));

  it('recovers closed and running requests after a kill', async () => {
    const spool = await started('e1');
    await spool.start(opened('a'));
    await spool.progress(progressed('a', 5), () => opened('a', 5));
    await spool.close(event('b', 7));
    await die(spool);
    const next = await started('e2');
    expect(await records(next)).toEqual([
      ['b', { quota: 7, outcome: 'completed' }],
      ['a', { quota: 5, outcome: 'interrupted' }],
    ]);
  });

  it('reports the epochs of a dead process once its records are in the log, and deletes them once reported', async () => {
    const spool = await started('e1');
    await spool.close(event('b', 7));
    await die(spool);
    const next = await started('e2');
    expect(next.finishedEpochs()).toEqual([]);
    next.sent(1);
    expect(next.finishedEpochs()).toEqual(['e1']);
    next.forgetEpochs(['e1']);
    expect(next.finishedEpochs()).toEqual([]);
    await die(next);
    const third = await started('e3');
    third.sent(1);
    expect(third.finishedEpochs()).toEqual(['e2']);
  });

  it('reports an epoch of its own that is over once what was recorded under it is in the log, and forgets it once reported', async () => {
    const spool = await started('e1');
    await spool.close(event('a', 5));
    spool.noteEpoch('e2');
    expect(spool.finishedEpochs()).toEqual([]);
    spool.endEpoch('e1');
    await spool.close(event('b', 6));
    expect(spool.finishedEpochs()).toEqual([]);
    spool.sent(1);
    expect(spool.finishedEpochs()).toEqual(['e1']);
    spool.forgetEpochs(['e1']);
    expect(spool.finishedEpochs()).toEqual([]);
    spool.endEpoch('e2');
    expect(spool.finishedEpochs()).toEqual([]);
    await die(spool);
    const next = await started('e3');
    next.sent(next.unsent.length);
    expect(next.finishedEpochs()).toEqual(['e2']);
  });

  it('keeps files until everything in them is booked', async () => {
    const spool = await started('e1');
    await spool.close(event('a', 1));
    await spool.close(event('b', 1));
    await die(spool);
    const next = await started('e2');
    const [a, b] = next.sent(2);
    next.booked([a as Pending]);
    expect(segments()).toEqual(['00000001.seg']);
    next.booked([b as Pending]);
    expect(segments()).toEqual([]);
  });

  it('leaves no file behind when it is shut with everything booked', async () => {
    const spool = await started('e1');
    await spool.close(event('a', 1));
    spool.booked(spool.sent(1));
    await shut(spool);
    expect(segments()).toEqual([]);
  });

  it('reports no epoch of an adopted folder before its records are read', async () => {
    const first = await started('e1');
    const second = await started('e2');
    await first.close(event('a', 3));
    await die(first);
    const adopted = second.adopt();
    expect(second.finishedEpochs()).toEqual([]);
    await adopted;
    expect(second.finishedEpochs()).toEqual([]);
    second.sent(1);
    expect(second.finishedEpochs()).toEqual(['e1']);
  });

  it('adopts a folder that could not be read at the next turn, and the others at once', async () => {
    const first = await started('e1');
    const second = await started('e2');
    const third = await started('e3');
    await first.close(event('a', 3));
    await second.close(event('b', 4));
    await die(first);
    await die(second);
    const unreadable = join(dataDir, 'spool', '0', '00000009.seg');
    mkdirSync(unreadable);
    await expect(third.adopt()).rejects.toThrow('EISDIR');
    expect(await records(third)).toEqual([['b', { quota: 4, outcome: 'completed' }]]);
    third.sent(1);
    expect(third.finishedEpochs()).toEqual(['e2']);
    rmdirSync(unreadable);
    await third.adopt();
    expect(await records(third)).toEqual([['a', { quota: 3, outcome: 'completed' }]]);
  });

  it('adopts the folder of a process that dies later', async () => {
    const first = await started('e1');
    const second = await started('e2');
    await first.close(event('a', 3));
    await second.adopt();
    expect(second.unsent).toEqual([]);
    await die(first);
    await second.adopt();
    expect(await records(second)).toEqual([['a', { quota: 3, outcome: 'completed' }]]);
    expect(second.finishedEpochs()).toEqual([]);
    const sent = second.sent(1);
    expect(second.finishedEpochs()).toEqual(['e1']);
    second.booked(sent);
    second.forgetEpochs(['e1']);
    expect(readdirSync(join(dataDir, 'spool', '0'))).toEqual([]);
  });

  it('moves the record of a long request along, so that only its newest segment is kept', async () => {
    const spool = await started('e1');
    await spool.start(opened('long'));
    const filler = 'x'.repeat(9 * 1024 * 1024);
    for (let turn = 1; turn <= 6; turn += 1) {
      await spool.close({ ...event(`f${turn}`, 1), filler } as EventEnvelope);
      await spool.progress(progressed('long', turn), () => opened('long', turn));
      spool.booked(spool.sent(1));
    }
    expect(segments().length).toBeLessThanOrEqual(2);
    await die(spool);
    expect(await records(await started('e2'))).toContainEqual(['long', { quota: 6, outcome: 'interrupted' }]);
  });

  it('ignores a late progress record of a booked request', async () => {
    const spool = await started('e1');
    await spool.start(opened('a'));
    const late = spool.progress(progressed('a', 5), () => opened('a', 5));
    await spool.close(event('a', 7));
    await late;
    spool.booked(spool.sent(1));
    await shut(spool);
    expect(segments()).toEqual([]);
  });

  it('holds few of many waiting records in memory and reads the rest from disk', async () => {
    const spool = await started('e1');
    const large = (index: number): EventEnvelope => ({ ...event(`r${index}`, index), source: 'x'.repeat(1_000_000) });
    for (let index = 0; index < 20; index += 1) await spool.close(large(index));
    const inMemory = spool.unsent.filter(({ payload }) => payload !== undefined);
    expect(inMemory.map(({ id }) => id)).toEqual(Array.from({ length: 17 }, (_, index) => `r${index}`));
    const ids = (await spool.payloadsOf(spool.unsent)).map((payload) => (JSON.parse(payload) as EventEnvelope).id);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => `r${index}`));
    // Sent records free memory for others.
    spool.sent(20);
    await spool.close(event('next', 1));
    expect(spool.unsent[0]?.payload).toBeDefined();
  });

  it('keeps less than half a kilobyte of each further record, however long the log is unavailable', async () => {
    const spool = await started('e1');
    const filled = (id: string, characters: number): EventEnvelope => ({
      ...event(id, 1),
      source: 'x'.repeat(characters),
    });
    for (let index = 0; index < 17; index += 1) await spool.close(filled(`large ${index}`, 1_000_000));
    const before = collectedHeap();
    const [ROUNDS, EACH] = [20, 500];
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(Array.from({ length: EACH }, (_, index) => spool.close(filled(`r${round}/${index}`, 2_500))));
    expect(spool.unsent).toHaveLength(17 + ROUNDS * EACH);
    // With their payloads in memory the records would take 2 500 bytes each.
    expect((collectedHeap() - before) / (ROUNDS * EACH)).toBeLessThan(512);
  });

  it('refuses new requests beyond its limit', async () => {
    const spool = await started('e1');
    spool.assertRoom();
    await spool.close({ ...event('a', 1), filler: 'x'.repeat(17 * 1024 * 1024) } as EventEnvelope);
    expect(() => spool.assertRoom()).toThrow('系统繁忙');
  });

  describe('on a disk that takes nothing', () => {
    const breakDisk = (): void =>
      void jest.spyOn(SegmentWriter.prototype, 'append').mockRejectedValueOnce(new Error('no space left on device'));

    it('refuses a record whose client got nothing yet, and new requests for a moment', async () => {
      const spool = await started('e1');
      breakDisk();
      await expect(spool.close(event('a', 1))).rejects.toMatchObject({ kind: 'unavailable' });
      expect(spool.unsent).toEqual([]);
      expect(() => spool.assertRoom()).toThrow('系统繁忙');
      clock.at += 1001;
      spool.assertRoom();
    });

    it('sends a record even so when its client already got something', async () => {
      const spool = await started('e1');
      await spool.start(opened('a'));
      breakDisk();
      await spool.closeAnyway(event('a', 7));
      expect(await records(spool)).toEqual([['a', { quota: 7, outcome: 'completed' }]]);
      spool.booked(spool.sent(1));
      await shut(spool);
      expect(segments()).toEqual([]);
    });
  });
});
