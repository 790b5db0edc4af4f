import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvLines } from './csv.js';

describe('rows of comma-separated values', () => {
  it.each([
    ...['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\tx'],
    ...[
      '\uFEFF=1',
      ' =1',
      '\u3000@x',
      '\u00A0+1',
      '\u200B-x',
      '\0=1',
      '＝1',
      '＋1',
      '－1',
      '＠x',
      ' \uFEFF ＝1',
      '﹦1',
    ],
  ])('never let a text run as a formula: %j', (text) => {
    const line = csvLines([[text, 'x']]);
    expect(line).toContain(`'${text}`);
    expect(line).toMatch(/^"?'/);
  });

  it('leave numbers as they are, negative ones too, and texts that only hold an operator', () => {
    expect(csvLines([[-5, '-0.000002', '+5', ' a=b', 'gpt-4o', '', 'a@b.c']])).toBe(
      "-5,-0.000002,'+5, a=b,gpt-4o,,a@b.c\r\n",
    );
  });

  it('quote separators, quotes and lines', () => {
    expect(csvLines([['a,b', 'say "hi"', 'two\nlines']])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  });

  it('begin no cell with a formula, whatever precedes it', () => {
    const before = fc.string({
      unit: fc.constantFrom(' ', '\t', '\uFEFF', '\u3000', '\u00A0', '\u2060', '\u200B', '\v'),
    });
    fc.assert(
      fc.property(before, fc.constantFrom(...'=+-@＝＋－＠'), fc.string(), (front, operator, rest) => {
        const text = `${front}${operator}x${rest}`;
        expect(csvLines([[text]])).toMatch(/^"?'/);
      }),
    );
  });
});
