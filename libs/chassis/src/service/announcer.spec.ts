import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KeyValue } from '../key-value/key-value.js';
import { Logger } from '../log/logger.js';
import { Announcer } from './announcer.js';

describe('Announcer', () => {
  let sent: string[];
  let announcer: Announcer;
  beforeEach(() => {
    jest.useFakeTimers();
    sent = [];
    const publish = (channel: string, message: string): Promise<void> => {
      sent.push(`${channel} ${message}`);
      return Promise.resolve();
    };
    announcer = new Announcer('topic', { publish } as unknown as KeyValue, Logger.root('silent'));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('broadcasts the first change at once and gathers those that follow', () => {
    announcer.announce([7]);
    announcer.announce([8, 9]);
    announcer.announce([9]);
    expect(sent).toEqual(['look-again:topic 7']);
    jest.advanceTimersByTime(250);
    expect(sent).toEqual(['look-again:topic 7', 'look-again:topic 8,9']);
    jest.advanceTimersByTime(1000);
    expect(sent).toHaveLength(2);
    announcer.announce([7]);
    expect(sent).toHaveLength(3);
  });

  it('broadcasts nothing without ids', () => {
    announcer.announce([]);
    jest.advanceTimersByTime(1000);
    expect(sent).toEqual([]);
  });

  it('splits a message that would be too long', () => {
    announcer.announce(Array.from({ length: 2500 }, (_, id) => id + 1));
    expect(sent.map((message) => message.split(',').length)).toEqual([1000, 1000, 500]);
  });
});
