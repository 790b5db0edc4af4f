import { describe, expect, it } from '@jest/globals';
import type { ConsolePalette } from './palette.js';
import { darkPalette, lightPalette, tagColors } from './palette.js';
import { contrast } from '../testing/contrast.js';

const grounds = ({ background }: ConsolePalette) => [background.paper, background.default];

/** Hue in degrees, chroma and brightness from 0 to 1. */
function toneOf(color: string): { hue: number; chroma: number; brightness: number } {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
  const brightness = Math.max(red, green, blue);
  const chroma = brightness - Math.min(red, green, blue);
  const turn = ((): number => {
    if (chroma === 0) return 0;
    if (brightness === red) return (green - blue) / chroma;
    return brightness === green ? (blue - red) / chroma + 2 : (red - green) / chroma + 4;
  })();
  return { hue: (turn * 60 + 360) % 360, chroma, brightness };
}

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
] as const)('%s palette', (mode, palette) => {
  it('keeps text readable on every background', () => {
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

  it('keeps status texts and buttons readable on their backgrounds', () => {
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

  it('keeps rows readable in every state', () => {
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

  it('uses no brown in charts', () => {
    // Dark orange: a hue between red and yellow that is neither bright nor grey.
    const isBrown = (color: string): boolean => {
      const { hue, chroma, brightness } = toneOf(color);
      return hue >= 15 && hue <= 45 && chroma > 0.2 && brightness < 0.7;
    };
    const bars = [palette.primary.main, palette.error.main, palette.success.main];
    expect([...Object.values(palette.chart), ...bars].filter(isBrown)).toEqual([]);
    expect(['#6F3D01', '#8F5A00', '#8B4513'].every(isBrown)).toBe(true);
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
