/** Forced colours remove backgrounds: an element that stands out only by its background gets a border. */
export const framedWhenForced = { '@media (forced-colors: active)': { border: '1px solid' } } as const;

/** Keeps the colours of elements that are drawn by their background, such as the swatches of a chart. */
export const drawnWhenForced = { forcedColorAdjust: 'none' } as const;
