// PostgreSQL stores no NUL in any text and no lone surrogate in JSON; clients and upstreams send both.

/** Matches both in plain text. In Unicode mode `\p{Surrogate}` matches only a surrogate without its counterpart. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
/** Matches both as JSON escapes them. Escaped backslashes are consumed as pairs, so that text such as `\\u0000` does not match. */
const ESCAPE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;
const SUSPECT = /\\u(?:0000|d[89a-f])/;
const REPLACEMENT = '\ufffd';

/** For text columns: replaces what cannot be stored with the replacement character. */
export const storableText = (text: string): string => text.replace(UNSTORABLE, REPLACEMENT);

/** JSON that any json or jsonb column accepts, including member names. Everything written to such a column must pass through here. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!SUSPECT.test(json)) return json;
  return json.replace(ESCAPE, (escape) => (SUSPECT.test(escape) ? REPLACEMENT : escape));
}
