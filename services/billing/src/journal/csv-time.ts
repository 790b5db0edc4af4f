/** UTC, as ISO 8601 without fractions; nothing for what never was. */
export const csvTime = (seconds: number): string =>
  seconds > 0 ? `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` : '';
