import { describe, expect, it } from '@jest/globals';
import { darkPalette, lightPalette } from '../../app/palette.js';
import { contrast } from '../../testing/contrast.js';
import { seriesColors } from './chart-scale.js';

describe('the bars of a statement', () => {
  it.each([lightPalette, darkPalette])('are told apart without their colours', ({ chart }) => {
    const colors = Object.values(seriesColors).map((number) => chart[number]);
    const pairs = colors.flatMap((one, at) => colors.slice(at + 1).map((other) => contrast(one, other)));
    expect(Math.min(...pairs)).toBeGreaterThan(1.4);
  });
});
