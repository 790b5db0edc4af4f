import { describe, expect, it } from '@jest/globals';
import { darkPalette, lightPalette } from '../../app/palette.js';
import { contrast } from '../../testing/contrast.js';
import { marks, stripesOf } from './chart-parts.js';

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
])('the marks of a chart in the %s theme', (_, { chart }) => {
  it('are told apart without colour, by their grey or by their stripes', () => {
    const pairs = marks.flatMap((one, at) => marks.slice(at + 1).map((other) => [one, other] as const));
    expect(pairs.length).toBe(36);
    const alike = pairs.filter(
      ([one, other]) =>
        JSON.stringify(stripesOf[one]) === JSON.stringify(stripesOf[other]) && contrast(chart[one], chart[other]) < 1.4,
    );
    expect(alike).toEqual([]);
  });
});
