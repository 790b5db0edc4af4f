import { describe, expect, it } from '@jest/globals';
import type { ConsolePalette } from './palette.js';
import { darkPalette, lightPalette, tagColors } from './palette.js';

const channel = (value: number): number => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(hex.slice(at, at + 2), 16)));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one: string, other: string): number => {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

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
