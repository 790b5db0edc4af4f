/** The day (YYYY-MM-DD) that is this many days later, or earlier for a negative number. */
export const shifted = (day: string, by: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
