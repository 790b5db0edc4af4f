import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryKeyValue } from '../key-value/memory-key-value.js';
import { Logger } from '../log/logger.js';
import { broadcastChannel } from './broadcast-channel.js';
import { Lifecycle } from './lifecycle.js';
import { type FollowedModel, ReadModels } from './read-models.js';
import { parseRevisions, SeenRevisions } from './seen-revisions.js';

const logger = Logger.root('silent');

describe('parseRevisions', () => {
  it('reads what a process writes, and nothing else', () => {
    const seen = new SeenRevisions();
    seen.learn({ option: 12, routing: 5 });
    expect(parseRevisions(seen.header)).toEqual({ option: 12, routing: 5 });
    for (const text of [
      undefined,
      '',
      'option',
      'option=',
      'option=-1',
      'Option=1',
      '=3',
      'option=1e9',
      ['option=1'],
      'other=1',
    ])
      expect(parseRevisions(text)).toEqual({});
    expect(parseRevisions('option=3,nonsense,routing=4')).toEqual({ option: 3, routing: 4 });
  });
});

describe('read models', () => {
  let keyValue: MemoryKeyValue;
  let lifecycle: Lifecycle;
  let seen: SeenRevisions;
  let readModels: ReadModels;
  let owner = 0;
  let copied = 0;
  let asked = 0;
  let now = 0;

  beforeEach(() => {
    keyValue = new MemoryKeyValue();
    lifecycle = new Lifecycle();
    seen = new SeenRevisions();
    readModels = new ReadModels(seen, { lifecycle, logger, keyValue }, () => now);
    owner = copied = asked = 0;
    readModels.add({
      name: 'option',
      revision: () => copied,
      async catchUp() {
        asked += 1;
        const answer = owner;
        await Promise.resolve();
        copied = answer;
      },
    });
  });

  it('fetch nothing until a newer revision is seen, and then once', async () => {
    await readModels.catchUp();
    expect([readModels.areBehind, asked]).toEqual([false, 0]);
    owner = 7;
    seen.learn({ option: 7 });
    expect(readModels.areBehind).toBe(true);
    await Promise.all([readModels.catchUp(), readModels.catchUp(), readModels.catchUp()]);
    await readModels.catchUp();
    expect([copied, asked, readModels.areBehind]).toEqual([7, 1, false]);
  });

  it('fetch again if a fetch was running when the change happened', async () => {
    owner = 1;
    seen.learn({ option: 1 });
    const first = readModels.catchUp();
    owner = 2;
    seen.learn({ option: 2 });
    await readModels.catchUp();
    expect(copied).toBe(2);
    await first;
  });

  it('stop fetching for a revision that the owner does not have', async () => {
    seen.learn({ option: 99 });
    await readModels.catchUp();
    await readModels.catchUp();
    expect([asked, readModels.areBehind, seen.header]).toEqual([1, false, '']);
  });

  it('serve the data in memory while the owner does not answer, and try again a second later', async () => {
    let isAway = true;
    let revision = 0;
    readModels.add({
      name: 'routing',
      revision: () => revision,
      catchUp() {
        if (isAway) return Promise.reject(new Error('away'));
        revision = 4;
        return Promise.resolve();
      },
    });
    seen.learn({ routing: 4 });
    await readModels.catchUp();
    expect([revision, readModels.areBehind]).toEqual([0, false]);
    isAway = false;
    now += 1000;
    expect(readModels.areBehind).toBe(true);
    await readModels.catchUp();
    expect([revision, readModels.areBehind]).toEqual([4, false]);
  });

  it('of another process learn of a change before the change is confirmed', async () => {
    const other = new SeenRevisions();
    const stop = await other.listen(keyValue);
    readModels.own('identity', { isLeader: false }, () => Promise.resolve({ option: 3 }));
    expect(await readModels.announce()).toBe('option=3');
    // The message is queued, and is delivered in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(other.of('option')).toBe(3);
    expect(await readModels.announce()).toBeUndefined();
    await stop();
  });

  describe('that follow their owner', () => {
    const heard: string[] = [];
    let polls = 0;
    const follow = (more: Partial<FollowedModel> = {}): void =>
      readModels.follow({
        owner: 'channel',
        topics: ['channel-changed', 'channel-disabled'],
        name: 'routing',
        revision: () => 4,
        catchUp() {
          polls += 1;
          return Promise.resolve();
        },
        ...more,
      });
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    beforeEach(() => void (polls = heard.length = 0));
    afterEach(() => lifecycle.drain());

    it('fetch from it at each event on one of their topics', async () => {
      follow();
      await lifecycle.ready();
      const before = polls;
      await keyValue.publish(broadcastChannel('channel-disabled'), '7');
      await turn();
      await keyValue.publish(broadcastChannel('channel-changed'), '7');
      await turn();
      await keyValue.publish(broadcastChannel('user-changed'), '7');
      await turn();
      expect(polls - before).toBe(2);
    });

    it('apply the key of an event instead, if they can', async () => {
      follow({ onEvent: (key) => void heard.push(key) });
      await lifecycle.ready();
      const before = polls;
      await keyValue.publish(broadcastChannel('channel-changed'), '7');
      await turn();
      expect([heard, polls - before]).toEqual([['7'], 0]);
    });

    it('fetch when it broadcasts a newer revision, and are up to date before a request is answered', async () => {
      follow();
      readModels.own('channel', { isLeader: true }, () => Promise.resolve({ routing: 5 }));
      await lifecycle.ready();
      const before = polls;
      await turn();
      expect(polls - before).toBe(1);
      seen.learn({ routing: 5 });
      await readModels.catchUp();
      expect(polls - before).toBe(2);
    });

    it('are not updated any more once the service drains', async () => {
      follow();
      await lifecycle.ready();
      await lifecycle.drain();
      const before = polls;
      await keyValue.publish(broadcastChannel('channel-changed'), '7');
      await turn();
      expect(polls - before).toBe(0);
    });
  });

  it('do not delay callers beyond their time limit', async () => {
    readModels.add({ name: 'routing', revision: () => 0, catchUp: () => new Promise<void>(() => undefined) });
    seen.learn({ routing: 1 });
    await readModels.catchUpWithin(1);
    expect(readModels.areBehind).toBe(false);
    now += 1001;
    expect(readModels.areBehind).toBe(true);
  });
});
