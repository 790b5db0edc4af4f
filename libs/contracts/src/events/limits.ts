/** How much of a field an event carries: of a text its UTF-16 units; a nested table holds for an object and for each of a list. */
export interface Limits {
  readonly [field: string]: number | Limits;
}

/**
 * Control characters, which escaped in JSON take six bytes and which no text of ours needs, and halves of surrogate pairs, which
 * are no characters. PostgreSQL stores neither a NUL nor such a half.
 */
const NO_TEXT = /[\u0000-\u0008\u000b-\u001f\p{Surrogate}]/gu;

/** What most texts do not have: anything of the above, or a half of a pair that may be whole. */
const SUSPECT = /[\u0000-\u0008\u000b-\u001f\ud800-\udfff]/;

/**
 * At most `limit` UTF-16 units, each of at most three bytes in JSON: never half of a surrogate pair, no control characters but
 * tab and line feed.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit && !SUSPECT.test(text)) return text;
  const end = text.length > limit && isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).replace(NO_TEXT, '\ufffd');
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The value with each text the table names cut to its limit: the same one where none is longer. Works on data of any shape and leaves what it does not know. */
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

/** What a record of members nobody knows beforehand may carry. */
export interface RecordLimits {
  members: number;
  /** UTF-16 units of one name and of one value. */
  name: number;
  value: number;
  /** Of all values together. */
  sum: number;
}

/**
 * The first members of a record, their texts cut. A value that is no text stays as it is while its JSON fits, and becomes the
 * beginning of that JSON otherwise. What was cut ends with an ellipsis.
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
