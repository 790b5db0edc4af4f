import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SpareTurns } from './spare-turns.js';

describe('spare turns', () => {
  let isIdle: boolean;
  let turns: SpareTurns;
  let served: string[];
  const ask = (name: string): void => turns.ask(() => void served.push(name));

  beforeEach(() => {
    jest.useFakeTimers();
    [isIdle, served] = [true, []];
    turns = new SpareTurns(() => isIdle);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('are given in the order of the questions, also to those that always ask together with others', () => {
    for (let round = 0; round < 3; round += 1) {
      for (const name of ['a', 'b', 'c']) ask(name);
      jest.advanceTimersByTime(20);
    }
    expect(served.join('')).toBe('abcabcabc');
  });

  it('are given one after another', () => {
    for (const name of ['a', 'b']) ask(name);
    expect(served).toEqual(['a']);
    jest.advanceTimersByTime(5);
    expect(served).toEqual(['a', 'b']);
  });

  it('wait until there is time to spare', () => {
    isIdle = false;
    ask('a');
    jest.advanceTimersByTime(1000);
    expect(served).toEqual([]);
    isIdle = true;
    turns.offer();
    expect(served).toEqual(['a']);
  });
});
