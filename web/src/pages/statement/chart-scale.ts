/** Indexes of chart colours that can be told apart by their lightness alone, in light and dark mode. */
export const seriesColors = { consumed: 1, paid: 6, cost: 3 } as const;

export const colorOf = (series: keyof typeof seriesColors): string => `var(--tg-palette-chart-${seriesColors[series]})`;
