import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventLog, LogRecord, ReadRecord } from '@tollgate/chassis';
import { eventually } from './eventually.js';

/** An adapter under test, with the topics of the suite. */
interface EventLogTestBed {
  log: EventLog;
  /** Opens another log on the same store, as after a restart; the first one has been stopped. */
  reopen(): Promise<EventLog>;
  /** Begins an append and leaves its commit to the caller; only for stores with transactions. */
  beginAppend?(topic: string, records: readonly LogRecord[]): Promise<{ commit(): Promise<void> }>;
  close(): Promise<void>;
}

export const contractTopics = [
  { name: 'contract-single', partitions: 1 },
  { name: 'contract-many', partitions: 4 },
] as const;
const SINGLE = 'contract-single';
const MANY = 'contract-many';

const records = (count: number, key = (index: number): string => `key-${index % 7}`): LogRecord[] =>
  Array.from({ length: count }, (_, index) => ({ key: key(index), value: JSON.stringify({ index }) }));

const indexOf = ({ value }: LogRecord): number => (JSON.parse(value) as { index: number }).index;

const sumOf = (offsets: Record<number, bigint> | undefined): number =>
  Object.values(offsets ?? {}).reduce((sum, offset) => sum + Number(offset), 0);

/**
 * The tests that every adapter of the event log must pass. `open` provides an empty store: a database or a topic prefix
 * of its own.
 */
export function describeEventLog(name: string, open: () => Promise<EventLogTestBed>): void {
  describe(`${name} as an event log`, () => {
    let testBed: EventLogTestBed;
    let group: string;
    let counter = 0;

    beforeEach(async () => {
      testBed = await open();
      group = `group-${process.pid}-${(counter += 1)}`;
    }, 60_000);
    afterEach(() => testBed.close(), 60_000);

    const collect = async (log: EventLog, topic: string, into: ReadRecord[], inGroup = group): Promise<void> =>
      log.subscribe({
        group: inGroup,
        topics: [topic],
        handle: async (batch) => {
          into.push(...batch);
        },
      });

    it('delivers what was appended before and after the subscription, in offsets without a gap', async () => {
      const seen: ReadRecord[] = [];
      await testBed.log.append(SINGLE, records(3));
      await collect(testBed.log, SINGLE, seen);
      await testBed.log.append(SINGLE, records(2));
      await eventually('five records arrive', () => seen.length === 5);
      const offsets = seen.map(({ offset }) => Number(offset));
      expect(offsets).toEqual(offsets.map((_, index) => (offsets[0] ?? 0) + index));
      expect(seen.map(indexOf)).toEqual([0, 1, 2, 0, 1]);
      expect(seen[0]).toMatchObject({ topic: SINGLE, partition: 0, key: 'key-0' });
    });

    it('keeps the order of each key', async () => {
      const seen: ReadRecord[] = [];
      await collect(testBed.log, MANY, seen);
      for (let start = 0; start < 200; start += 20) {
        await testBed.log.append(MANY, records(200).slice(start, start + 20));
      }
      await eventually('200 records arrive', () => seen.length === 200);
      for (let key = 0; key < 7; key += 1) {
        const indexes = seen.filter((record) => record.key === `key-${key}`).map(indexOf);
        expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
        expect(
          new Set(seen.filter((record) => record.key === `key-${key}`).map(({ partition }) => partition)).size,
        ).toBe(1);
      }
    });

    it('stores all records of an append except those that no log can hold, names these, and continues', async () => {
      const seen: ReadRecord[] = [];
      await collect(testBed.log, SINGLE, seen);
      const huge = (index: number): LogRecord => ({
        key: 'huge',
        value: JSON.stringify({ index, text: '错'.repeat(300_000) }),
      });
      const mixed = records(9).map((record, index) => (index === 2 || index === 7 ? huge(index) : record));
      const [first, refused, last] = await Promise.allSettled([
        testBed.log.append(SINGLE, records(1)),
        testBed.log.append(SINGLE, mixed),
        testBed.log.append(SINGLE, records(1)),
      ]);
      expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled']);
      const reason = expect.stringContaining('too large');
      expect(refused).toMatchObject({
        reason: {
          name: 'RecordsRefused',
          refusals: [
            { index: 2, reason },
            { index: 7, reason },
          ],
        },
      });
      await eventually('nine records arrive', () => seen.length === 9); // 1 + 7 + 1
      // Concurrent appends may come in any order, but the records of one append keep theirs.
      expect(seen.map(indexOf).filter((index) => index > 0)).toEqual([1, 3, 4, 5, 6, 8]);
    });

    it('gives each group every record, and the members of one group each record once', async () => {
      const one: ReadRecord[] = [];
      const other: ReadRecord[] = [];
      const elsewhere: ReadRecord[] = [];
      await collect(testBed.log, MANY, one);
      await collect(testBed.log, MANY, other);
      await collect(testBed.log, MANY, elsewhere, `${group}-elsewhere`);
      await testBed.log.append(MANY, records(100));
      await eventually(
        'each group has 100 records',
        () => one.length + other.length === 100 && elsewhere.length === 100,
      );
      await pause(300);
      expect([...one, ...other].map(indexOf).sort((a, b) => a - b)).toEqual(records(100).map(indexOf));
    });

    it('delivers the same records again after a rejection, and commits nothing before', async () => {
      const attempts: number[][] = [];
      await testBed.log.append(SINGLE, records(3));
      await testBed.log.subscribe({
        group,
        topics: [SINGLE],
        handle: async (batch) => {
          attempts.push(batch.map(indexOf));
          if (attempts.length === 1) {
            expect(sumOf((await testBed.log.committed(group, [SINGLE]))[SINGLE])).toBe(0);
            throw new Error('the database is away');
          }
        },
      });
      await eventually('the records come again', () => attempts.length >= 2);
      expect(attempts[1]).toEqual(attempts[0]);
      await eventually(
        'everything is committed',
        async () =>
          sumOf((await testBed.log.committed(group, [SINGLE]))[SINGLE]) ===
          sumOf((await testBed.log.ends([SINGLE]))[SINGLE]),
      );
    });

    it('handles other partitions while one waits', async () => {
      const seen = new Set<number>();
      let stuck: number | undefined;
      await testBed.log.subscribe({
        group,
        topics: [MANY],
        handle: async (batch) => {
          const partition = batch[0]?.partition ?? 0;
          stuck ??= partition;
          if (partition === stuck) throw new Error('stuck');
          seen.add(partition);
        },
      });
      await testBed.log.append(
        MANY,
        records(400, (index) => `key-${index}`),
      );
      await eventually('three partitions are handled', () => seen.size === 3);
    });

    it('returns ends and committed offsets by partition', async () => {
      const before = sumOf((await testBed.log.ends([MANY]))[MANY]);
      await testBed.log.append(MANY, records(50));
      const ends = await testBed.log.ends([MANY]);
      expect(Object.keys(ends[MANY] ?? {})).toEqual(['0', '1', '2', '3']);
      expect(sumOf(ends[MANY]) - before).toBe(50);
      expect(sumOf((await testBed.log.committed(group, [MANY]))[MANY])).toBe(0);
      await collect(testBed.log, MANY, []);
      await eventually(
        'everything is committed',
        async () => sumOf((await testBed.log.committed(group, [MANY]))[MANY]) === sumOf(ends[MANY]),
      );
    });

    it('waits for a running handler when it stops, and continues after it at the next start', async () => {
      const seen: number[] = [];
      let entered = false;
      await testBed.log.append(SINGLE, records(1));
      await testBed.log.subscribe({
        group,
        topics: [SINGLE],
        handle: async (batch) => {
          entered = true;
          await pause(300);
          seen.push(...batch.map(indexOf));
        },
      });
      await eventually('the handler runs', () => entered);
      await testBed.log.stop();
      expect(seen.length).toBeGreaterThan(0);

      const next = await testBed.reopen();
      const later: ReadRecord[] = [];
      await next.append(SINGLE, [{ key: 'later', value: JSON.stringify({ index: 77 }) }]);
      await collect(next, SINGLE, later);
      await eventually('the later record arrives', () => later.some((record) => indexOf(record) === 77));
      expect(later.map(indexOf)).toEqual([77]);
    });

    it('loses nothing when an append commits after a later one', async () => {
      if (!testBed.beginAppend) return;
      const seen: ReadRecord[] = [];
      await collect(testBed.log, SINGLE, seen);
      const slow = await testBed.beginAppend(SINGLE, [{ key: 'a', value: JSON.stringify({ index: 1 }) }]);
      const fast = testBed.log.append(SINGLE, [{ key: 'b', value: JSON.stringify({ index: 2 }) }]);
      await pause(500);
      await slow.commit();
      await fast;
      await eventually('both records arrive', () => seen.length === 2);
      const offsets = seen.map(({ offset }) => Number(offset));
      expect(offsets[1]).toBe((offsets[0] ?? 0) + 1);
    });

    it('carries five thousand records from many appenders', async () => {
      const seen: ReadRecord[] = [];
      await collect(testBed.log, MANY, seen);
      const all = records(5_000, (index) => `key-${index % 97}`);
      await Promise.all(
        Array.from({ length: 20 }, (_, part) => testBed.log.append(MANY, all.slice(part * 250, (part + 1) * 250))),
      );
      await eventually('5000 records arrive', () => seen.length >= 5_000);
      expect(new Set(seen.map(indexOf)).size).toBe(5_000);
      for (const partition of [0, 1, 2, 3]) {
        const offsets = seen.filter((record) => record.partition === partition).map(({ offset }) => Number(offset));
        expect(offsets).toEqual(offsets.map((_, index) => (offsets[0] ?? 0) + index));
      }
    }, 60_000);

    it('refuses a topic that was not declared', async () => {
      await expect(testBed.log.append('contract-unknown', records(1))).rejects.toThrow(/contract-unknown/);
    });
  });
}
