/** UTC in ISO 8601 without fractions; empty for 0. */
export const csvTime = (seconds: number): string =>
  seconds > 0 ? `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` : '';
