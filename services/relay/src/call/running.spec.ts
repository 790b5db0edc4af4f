import { describe, expect, it } from '@jest/globals';
import { Clock } from '@tollgate/chassis';
import { SecondsClock } from '../../test/clocks.js';
import { Running } from './running.js';

describe('Running', () => {
  it('counts work until it has ended, also where it fails', async () => {
    const running = new Running(new Clock());
    const end = Promise.withResolvers<string>();
    const works = [running.during(() => end.promise), running.during(() => Promise.reject(new Error('no')))];
    expect(running.count).toBe(2);
    await expect(works[1]).rejects.toThrow('no');
    expect(running.count).toBe(1);
    end.resolve('done');
    expect([await works[0], running.count]).toEqual(['done', 0]);
  });

  it('is idle when the last work ends', async () => {
    const running = new Running(new Clock());
    const end = Promise.withResolvers<void>();
    void running.during(() => end.promise);
    const idle = running.idle(60_000).then(() => running.count);
    end.resolve();
    expect(await idle).toBe(0);
  });

  it('does not wait for longer than it is told to', async () => {
    const clock = new SecondsClock();
    const running = new Running(clock);
    void running.during(() => new Promise(() => undefined));
    await running.idle(5000);
    expect([clock.at, running.count]).toEqual([6000, 1]);
  });
});
