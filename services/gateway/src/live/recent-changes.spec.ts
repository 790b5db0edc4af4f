import { describe, expect, it } from '@jest/globals';
import { concerns, type Listener, RecentChanges } from './recent-changes.js';

const ann: Listener = { userId: 1, role: 1 };
const bob: Listener = { userId: 2, role: 1 };
const chief: Listener = { userId: 3, role: 10 };

describe('recipients of a change', () => {
  it.each([
    ['the status, everybody', { kind: 'status' }, [true, true, true]],
    ['channels, administrators only', { kind: 'channels' }, [false, false, true]],
    ['that there is usage, administrators only', { kind: 'usage' }, [false, false, true]],
    ['the usage of a person, that person only', { kind: 'usage', userId: 1 }, [true, false, false]],
    ['the balance of a person, that person only', { kind: 'user', userId: 2 }, [false, true, false]],
  ] as const)('%s', (_, change, heard) => {
    expect([ann, bob, chief].map((listener) => concerns(change, listener))).toEqual(heard);
  });
});

describe('missed changes of a reader', () => {
  const at = (moment: number): RecentChanges => {
    const recent = new RecentChanges(0);
    recent.note({ kind: 'usage' }, moment);
    recent.note({ kind: 'usage', userId: 1 }, moment);
    recent.note({ kind: 'channels' }, moment);
    return recent;
  };

  it('are those addressed to the reader since then', () => {
    const recent = at(100);
    expect(recent.after(90, ann)).toEqual(['usage']);
    expect(recent.after(90, bob)).toEqual([]);
    expect(recent.after(90, chief)).toEqual(['usage', 'channels']);
    expect(recent.after(101, chief)).toEqual([]);
  });

  it('are all kinds that the reader may receive when no change was recorded then', () => {
    const recent = at(100);
    expect(recent.after(0, ann)).toEqual(['status', 'user', 'usage']);
    recent.forget(200);
    expect(recent.after(150, chief)).toEqual(['status', 'user', 'usage', 'channels']);
    expect(recent.after(201, chief)).toEqual([]);
  });

  it('are all kinds when the memory was too small', () => {
    const recent = new RecentChanges(0, 2);
    for (const userId of [1, 2, 3]) recent.note({ kind: 'user', userId }, userId * 10);
    expect(recent.after(10, bob)).toEqual(['status', 'user', 'usage']);
    expect(recent.after(15, bob)).toEqual(['user']);
    expect(recent.after(25, bob)).toEqual([]);
  });
});
