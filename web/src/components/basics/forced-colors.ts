/** Where the reader's own colours hold, grounds are gone: what stands out by its ground alone gets a frame. */
export const framedWhenForced = { '@media (forced-colors: active)': { border: '1px solid' } } as const;

/** Drawn by its ground, as a swatch of a chart is: it keeps its own colours. */
export const drawnWhenForced = { forcedColorAdjust: 'none' } as const;
