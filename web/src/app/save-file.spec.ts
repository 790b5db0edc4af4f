import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { saveFile } from './save-file.js';

const { createObjectURL, revokeObjectURL } = URL;
let saved: string[];
let kept: Set<string>;

beforeEach(() => {
  jest.useFakeTimers();
  [saved, kept] = [[], new Set()];
  URL.createObjectURL = () => {
    const address = `blob:${kept.size}`;
    kept.add(address);
    return address;
  };
  URL.revokeObjectURL = (address) => void kept.delete(address);
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(`${this.download} ${kept.has(this.href)}`);
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.runAllTimers();
  jest.useRealTimers();
  Object.assign(URL, { createObjectURL, revokeObjectURL });
});

describe('a file that is saved', () => {
  it('is saved once for a double click, and again later', () => {
    saveFile('a.csv', 'x', 'text/csv');
    saveFile('a.csv', 'x', 'text/csv');
    saveFile('b.csv', 'x', 'text/csv');
    expect(saved).toEqual(['a.csv true', 'b.csv true']);
    jest.advanceTimersByTime(1000);
    saveFile('a.csv', 'x', 'text/csv');
    expect(saved).toHaveLength(3);
  });

  it('releases its memory in the browser', () => {
    saveFile('a.csv', 'x', 'text/csv');
    expect(kept.size).toBe(0);
  });
});
