import { storableJson, storableText } from '@tollgate/chassis';

/**
 * One column of a batch as a parameter for `unnest`: numbers, booleans and identifiers, which need no quotes in an array
 * literal; `null` is the value of the database.
 */
export const plainColumn = (values: readonly (number | bigint | boolean | string | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join()}}`;

/** One column of texts as a parameter for `unnest`, without what PostgreSQL cannot store. */
export const textColumn = (values: readonly string[]): string =>
  `{${values.map((value) => quoted(storableText(value))).join()}}`;

/** One column of JSON as a parameter for `unnest`; `null` and `undefined` are null of the database, not of JSON. */
export const jsonColumn = (values: readonly unknown[]): string =>
  `{${values.map((value) => (value == null ? 'null' : quoted(storableJson(value)))).join()}}`;

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
