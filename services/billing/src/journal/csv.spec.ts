import { describe, expect, it } from '@jest/globals';
import { csvLines, csvTime } from './csv.js';

describe('csvLines', () => {
  it('keeps a spreadsheet from running what a cell says, and leaves numbers alone', () => {
    expect(csvLines([['=1+1', '+x', '-x', '@x', '\tx', -5, '-5', '-0.5']])).toBe(
      "'=1+1,'+x,'-x,'@x,'\tx,-5,-5,-0.5\r\n",
    );
  });

  it('quotes what would end a cell', () => {
    expect(csvLines([['a,b', 'a"b', 'a\nb']])).toBe('"a,b","a""b","a\nb"\r\n');
  });
});

describe('csvTime', () => {
  it('is UTC, and empty for what never was', () => {
    expect([csvTime(1_763_856_000), csvTime(0)]).toEqual(['2025-11-23T00:00:00Z', '']);
  });
});
