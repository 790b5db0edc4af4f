import type { ConsolePalette } from '../../app/palette.js';
import type { Series } from './buckets.js';

/**
 * Stripes in the background colour of the card over a mark: their angle in degrees, and the width of a stripe in each
 * 8px.
 */
interface Stripes {
  angle: number;
  width: number;
}
type Mark = keyof ConsolePalette['chart'];

/**
 * Eight colours cannot be told apart by their greys alone. Marks with similar greys, in light or in dark mode, have
 * different stripes.
 */
export const stripesOf: Partial<Record<Mark, Stripes>> = {
  2: { angle: 45, width: 2 },
  5: { angle: 45, width: 2 },
  4: { angle: -45, width: 4 },
  8: { angle: -45, width: 4 },
  6: { angle: 0, width: 2 },
  7: { angle: 0, width: 2 },
  other: { angle: 90, width: 3 },
};
export const marks: readonly Mark[] = [1, 2, 3, 4, 5, 6, 7, 8, 'other'];

export const patternId = (mark: Mark): string => `tg-series-${mark}`;
/** A CSS variable, so that the colour follows the theme without a new render. */
export const groundOf = (mark: Mark): string => `var(--tg-palette-chart-${mark})`;
/** The fill of a mark. Patterns are defined by `SeriesPatterns`, which must be on the page. */
export const fillOf = (mark: Mark): string => (mark in stripesOf ? `url(#${patternId(mark)})` : groundOf(mark));

const chartColors = marks.slice(0, -1).map(fillOf);
export const otherColor = fillOf('other');

/**
 * Gives each model the same colour in all charts of the page: that of its position in `known`. A model that is not in
 * `known` gets an unused colour.
 */
export function colorsOf(
  series: readonly Pick<Series, 'model'>[],
  rest: string,
  known: readonly Pick<Series, 'model'>[] = series,
): string[] {
  const own = (model: string): string | undefined => chartColors[known.findIndex((one) => one.model === model)];
  const free = chartColors.filter((color) => !series.some(({ model }) => own(model) === color));
  return series.map(({ model }) => (model === rest ? otherColor : (own(model) ?? free.shift() ?? otherColor)));
}
