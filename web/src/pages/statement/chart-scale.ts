/** Of the palette, and apart in light and dark also where no colours are seen. */
export const seriesColors = { consumed: 1, paid: 6, cost: 3 } as const;

export const colorOf = (series: keyof typeof seriesColors): string => `var(--tg-palette-chart-${seriesColors[series]})`;
