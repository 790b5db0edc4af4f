/** Length limits by field: UTF-16 code units of a text; a nested table applies to an object, or to each object of a list. */
export interface Limits {
  readonly [field: string]: number | Limits;
}

/**
 * Control characters, which take six bytes in JSON and have no use in our texts, and lone surrogates, which are not characters. PostgreSQL
 * stores neither NUL nor lone surrogates.
 */
const NO_TEXT = /[\u0000-\u0008\u000b-\u001f\p{Surrogate}]/gu;

/** A quick check for characters that most texts do not have: any of the above, or a surrogate that may be part of a pair. */
const SUSPECT = /[\u0000-\u0008\u000b-\u001f\ud800-\udfff]/;

/**
 * Cuts a text to `limit` UTF-16 code units, each at most three bytes in JSON. Never splits a surrogate pair, and removes control characters
 * except tab and line feed.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit && !SUSPECT.test(text)) return text;
  const end = text.length > limit && isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).replace(NO_TEXT, '\ufffd');
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/**
 * The value with its texts cut to the limits of the table, or the same object if none is longer. Accepts data of any shape and leaves
 * unlisted members unchanged.
 */
export function withinLimits<T>(value: T, limits: Limits): T {
  if (typeof value !== 'object' || value === null) return value;
  return (Array.isArray(value) ? itemsWithin(value, limits) : membersWithin(value, limits)) as T;
}

function itemsWithin(items: readonly unknown[], limits: Limits): readonly unknown[] {
  const cut = items.map((item) => withinLimits(item, limits));
  return cut.some((item, at) => item !== items[at]) ? cut : items;
}

function membersWithin(value: object, limits: Limits): object {
  const members = value as Record<string, unknown>;
  let cut: Record<string, unknown> | undefined;
  for (const field in limits) {
    const limit = limits[field];
    if (limit === undefined) continue;
    const item = members[field];
    const kept = typeof limit === 'number' ? textWithin(item, limit) : withinLimits(item, limit);
    if (kept !== item) (cut ??= { ...members })[field] = kept;
  }
  return cut ?? value;
}

const textWithin = (item: unknown, limit: number): unknown => (typeof item === 'string' ? cutText(item, limit) : item);

/** Limits for a record with arbitrary members. */
export interface RecordLimits {
  members: number;
  /** UTF-16 code units of one name and of one value. */
  name: number;
  value: number;
  /** Total of all values. */
  sum: number;
}

/**
 * The first members of a record with their texts cut. A value that is not a text is kept if its JSON fits, else it is replaced by the
 * beginning of that JSON. Cut values end with an ellipsis.
 */
export function withinRecord(record: Record<string, unknown>, limits: RecordLimits): Record<string, unknown> {
  let left = limits.sum;
  const cut = Object.entries(record)
    .slice(0, limits.members)
    .map(([name, value]): [string, unknown] => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      const limit = Math.min(limits.value, left);
      left = Math.max(0, left - text.length);
      if (text.length > limit) return [cutText(name, limits.name), `${cutText(text, limit)}…`];
      return [cutText(name, limits.name), typeof value === 'string' ? cutText(value, limit) : value];
    });
  return Object.fromEntries(cut);
}
