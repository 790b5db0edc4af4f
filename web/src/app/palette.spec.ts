import { describe, expect, it } from '@jest/globals';
import type { ConsolePalette } from './palette.js';
import { darkPalette, lightPalette, tagColors } from './palette.js';
import { contrast } from '../testing/contrast.js';

const grounds = ({ background }: ConsolePalette) => [background.paper, background.default];

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
] as const)('%s palette', (mode, palette) => {
  it('keeps text readable on every ground it is used on', () => {
    const { text, primary, success, warning, error, info } = palette;
    for (const ground of [...grounds(palette), palette.background.sunken]) {
      for (const color of [text.primary, text.secondary, text.tertiary])
        expect(contrast(color, ground)).toBeGreaterThanOrEqual(4.5);
    }
    for (const ground of grounds(palette)) {
      for (const { main } of [primary, success, warning, error, info])
        expect(contrast(main, ground)).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(text.tertiary, palette.background.raised)).toBeGreaterThanOrEqual(4.5);
  });

  it('keeps status words readable on their soft grounds and buttons on their fill', () => {
    for (const { main, soft, contrastText } of [
      palette.success,
      palette.warning,
      palette.error,
      palette.info,
      palette.primary,
    ]) {
      expect(contrast(main, soft)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(contrastText, main)).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(palette.primary.contrastText, palette.primary.dark)).toBeGreaterThanOrEqual(4.5);
  });

  it('keeps rows readable whatever state they are in', () => {
    for (const ground of Object.values(palette.row))
      expect(contrast(palette.text.secondary, ground)).toBeGreaterThanOrEqual(6.3);
  });

  it('keeps outlines and chart marks visible', () => {
    const { grid, ...marks } = palette.chart;
    expect(grid).toMatch(/^#/);
    for (const ground of grounds(palette)) {
      for (const color of [palette.border.control, palette.focus, ...Object.values(marks)]) {
        expect(contrast(color, ground)).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it('keeps all fifteen tags readable', () => {
    expect(tagColors).toHaveLength(15);
    const least = mode === 'light' ? 5.2 : 6;
    for (const name of tagColors) {
      const { text, background } = palette.tag[name];
      expect(Math.round(contrast(text, background) * 10) / 10).toBeGreaterThanOrEqual(least);
    }
  });
});
