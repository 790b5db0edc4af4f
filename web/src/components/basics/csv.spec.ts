import { describe, expect, it } from '@jest/globals';
import { csvText, csvTime } from './csv.js';

describe('csvText', () => {
  it('has a byte order mark, CRLF line ends, and no text that runs as a formula', () => {
    expect(
      csvText([
        ['größe', 1],
        ['=b', 2],
      ]),
    ).toBe("\uFEFFgröße,1\r\n'=b,2\r\n");
  });
});

describe('csvTime', () => {
  it('prints the local time with its offset', () => {
    const at = Math.floor(new Date(2026, 10, 20, 3, 4, 5).getTime() / 1000);
    const text = csvTime(at);
    expect(text).toMatch(/^2026-11-20T03:04:05[+-]\d\d:\d\d$/);
    expect(new Date(text).getTime()).toBe(at * 1000);
  });

  it('is empty for a missing time', () => {
    expect(csvTime(0)).toBe('');
  });
});
