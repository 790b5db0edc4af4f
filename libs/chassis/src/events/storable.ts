// PostgreSQL stores no NUL in any text, and in its JSON no half of a surrogate pair; clients and upstreams send both.

/** The two of them, in a text. In Unicode mode only a half without its other half is a surrogate. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
/** The two of them as JSON escapes them. A backslash that is text is escaped too, so that reading pair by pair finds no other. */
const ESCAPE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;
const SUSPECT = /\\u(?:0000|d[89a-f])/;
const REPLACEMENT = '\ufffd';

/** For a column of text: what cannot be stored becomes the replacement character. */
export const storableText = (text: string): string => text.replace(UNSTORABLE, REPLACEMENT);

/** JSON that any json or jsonb column takes, names of members included. All that goes to one passes here. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!SUSPECT.test(json)) return json;
  return json.replace(ESCAPE, (escape) => (SUSPECT.test(escape) ? REPLACEMENT : escape));
}
