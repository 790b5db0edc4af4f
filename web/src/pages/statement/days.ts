/** The day of a time in milliseconds as `YYYY-MM-DD` in UTC, which is the time zone of statements. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

export const shiftDay = (day: string, by: number): string => dayOf(Date.parse(day) + by * 86_400_000);
