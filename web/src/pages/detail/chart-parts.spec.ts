import { describe, expect, it } from '@jest/globals';
import { darkPalette, lightPalette } from '../../app/palette.js';
import { contrast } from '../../testing/contrast.js';
import { colorsOf, fillOf, marks, otherColor, stripesOf } from './chart-parts.js';

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
])('the marks of a chart in the %s theme', (_, { chart }) => {
  it('can be told apart without colour, by their grey or by their stripes', () => {
    const pairs = marks.flatMap((one, at) => marks.slice(at + 1).map((other) => [one, other] as const));
    expect(pairs.length).toBe(36);
    const alike = pairs.filter(
      ([one, other]) =>
        JSON.stringify(stripesOf[one]) === JSON.stringify(stripesOf[other]) && contrast(chart[one], chart[other]) < 1.4,
    );
    expect(alike).toEqual([]);
  });
});

describe('the colour of a model', () => {
  const of = (...models: string[]) => models.map((model) => ({ model }));

  it('follows from its position, and the sum of all others has its own', () => {
    expect(colorsOf(of('a', 'b', 'rest'), 'rest')).toEqual([fillOf(1), fillOf(2), otherColor]);
  });

  it('is the same in the other chart, where no other model gets it', () => {
    const byCost = of('a', 'b', 'c', 'd', 'e', 'f', 'g', 'rest');
    const byCalls = of('x', 'c', 'a', 'y', 'g', 'b', 'z', 'rest');
    const colors = colorsOf(byCalls, 'rest', byCost);
    expect(colors.slice(1, 3)).toEqual([fillOf(3), fillOf(1)]);
    expect(new Set(colors).size).toBe(8);
  });
});
