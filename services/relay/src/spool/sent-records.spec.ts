import { describe, expect, it } from '@jest/globals';
import { SentRecords } from './sent-records.js';
import type { Pending } from './spool.js';

const MINUTE = 60_000;
const record = (id: string, sentAt = 0): Pending => ({
  ...{ id, key: '7', since: sentAt, sentAt },
  ...{ location: undefined, payload: undefined, sources: undefined },
});

describe('SentRecords', () => {
  const asked: number[] = [];
  /** Asks until nothing more is likely to be booked; billing lacks the ids that `lacks` names. */
  async function confirmAll(sent: SentRecords, lacks: (id: string) => boolean, now = 0) {
    const booked: string[] = [];
    const again: string[] = [];
    for (let hasMore = true; hasMore;) {
      const answer = await sent.confirm(
        (ids) => {
          asked.push(ids.length);
          return Promise.resolve(ids.filter(lacks));
        },
        () => now,
      );
      booked.push(...answer.booked.map(({ id }) => id));
      again.push(...answer.again.map(({ id }) => id));
      hasMore = answer.hasMore;
    }
    return { booked, again };
  }
  const isStuck = (id: string): boolean => id.startsWith('stuck');

  it('asks about the oldest first, about more at once while all are booked, and never about too many', async () => {
    asked.length = 0;
    const sent = new SentRecords();
    for (let at = 0; at < 10_000; at += 1) sent.add(record(String(at)));
    const { booked } = await confirmAll(sent, () => false);
    expect(booked).toEqual(Array.from({ length: 10_000 }, (_, at) => String(at)));
    expect(asked.slice(0, 5)).toEqual([100, 200, 400, 800, 1600]);
    expect(Math.max(...asked)).toBeLessThanOrEqual(5000);
    expect(sent.size).toBe(0);
  });

  it('finds the others booked beside any number of records that are stuck, and sends only the stuck ones again', async () => {
    const sent = new SentRecords();
    const again = new Set<string>();
    let confirmed = 0;
    for (let second = 0; second < 600; second += 1) {
      for (let at = 0; at < 100; at += 1)
        sent.add(record(`${at % 12 ? 'plain' : 'stuck'}-${second}-${at}`, second * 1000));
      const answer = await confirmAll(sent, isStuck, second * 1000);
      confirmed += answer.booked.length;
      for (const id of answer.again) again.add(id);
      for (const id of answer.again) sent.add(record(id, second * 1000));
    }
    expect(confirmed).toBe(600 * 91);
    expect(again.size).toBeGreaterThan(100);
    expect([...again].filter((id) => !isStuck(id))).toEqual([]);
  });

  it('sends a record again once it was lacking a minute after it was sent, and not before it asked', async () => {
    const sent = new SentRecords();
    sent.add(record('stuck'));
    expect(await confirmAll(sent, isStuck, MINUTE - 1)).toEqual({ booked: [], again: [] });
    expect(await confirmAll(sent, isStuck, MINUTE)).toEqual({ booked: [], again: ['stuck'] });
    expect(sent.size).toBe(0);
    sent.add(record('plain'));
    expect(await confirmAll(sent, isStuck, 5 * MINUTE)).toEqual({ booked: ['plain'], again: [] });
  });

  it('keeps everything when billing does not reply', async () => {
    const sent = new SentRecords();
    sent.add(record('a', 5));
    await expect(
      sent.confirm(
        () => Promise.reject(new Error('gone')),
        () => MINUTE * 2,
      ),
    ).rejects.toThrow('gone');
    expect([sent.size, sent.since]).toEqual([1, 5]);
  });

  it('knows the oldest of all, whether it was lacking before or not', async () => {
    const sent = new SentRecords();
    expect(sent.since).toBe(Infinity);
    for (const [id, since] of [
      ['stuck-1', 3],
      ['stuck-2', 7],
    ] as const)
      sent.add(record(id, since));
    await confirmAll(sent, isStuck, 10);
    sent.add(record('plain', 9));
    expect(sent.since).toBe(3);
  });
});
