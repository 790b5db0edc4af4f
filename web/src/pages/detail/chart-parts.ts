import type { ConsolePalette } from '../../app/palette.js';
import type { Series } from './buckets.js';

/** Lines of the card's ground over a colour: at which angle, and how wide of their eight pixels. */
export interface Stripes {
  angle: number;
  width: number;
}
type Mark = keyof ConsolePalette['chart'];

/** Eight colours have no eight greys: which are near each other in grey, in light or in dark, have other stripes. */
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
/** Follows the theme by itself: it is read as a variable. */
export const groundOf = (mark: Mark): string => `var(--tg-palette-chart-${mark})`;
/** What a mark is filled with; the page has the patterns. */
export const fillOf = (mark: Mark): string => (mark in stripesOf ? `url(#${patternId(mark)})` : groundOf(mark));

const chartColors = marks.slice(0, -1).map(fillOf);
export const otherColor = fillOf('other');

/** A model has one colour on the page: that of its place among `known`; whoever is new there gets one that is free. */
export function colorsOf(
  series: readonly Pick<Series, 'model'>[],
  rest: string,
  known: readonly Pick<Series, 'model'>[] = series,
): string[] {
  const own = (model: string): string | undefined => chartColors[known.findIndex((one) => one.model === model)];
  const free = chartColors.filter((color) => !series.some(({ model }) => own(model) === color));
  return series.map(({ model }) => (model === rest ? otherColor : (own(model) ?? free.shift() ?? otherColor)));
}
