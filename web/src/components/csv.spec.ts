import { describe, expect, it } from '@jest/globals';
import { csvText, csvTime } from './csv.js';

describe('csvText', () => {
  it('marks the encoding and ends lines as spreadsheets do', () => {
    expect(
      csvText([
        ['größe', 1],
        ['b', 2],
      ]),
    ).toBe('\uFEFFgröße,1\r\nb,2\r\n');
  });

  it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1'])('never lets a text run as a formula: %j', (text) => {
    const [line = ''] = csvText([[text, 'x']])
      .slice(1)
      .split('\r\n');
    expect(csvText([[text, 'x']])).toContain(`'${text}`);
    expect(line).not.toMatch(/^"?[=+\-@\t\r]/);
  });

  it('leaves numbers as they are, negative ones too', () => {
    expect(csvText([[-5, '-0.000002', '+5']])).toBe("\uFEFF-5,-0.000002,'+5\r\n");
  });

  it('quotes separators, quotes and lines', () => {
    expect(csvText([['a,b', 'say "hi"', 'two\nlines']])).toBe('\uFEFF"a,b","say ""hi""","two\nlines"\r\n');
  });
});

describe('csvTime', () => {
  it('prints the local time with its offset', () => {
    const at = Math.floor(new Date(2026, 10, 20, 3, 4, 5).getTime() / 1000);
    const text = csvTime(at);
    expect(text).toMatch(/^2026-11-20T03:04:05[+-]\d\d:\d\d$/);
    expect(new Date(text).getTime()).toBe(at * 1000);
  });

  it('has no time for what never was', () => {
    expect(csvTime(0)).toBe('');
  });
});
