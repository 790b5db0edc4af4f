import { storableText } from '@tollgate/chassis';

/**
 * One column of a batch as a parameter for `unnest`: numbers, booleans and identifiers, which need no quotes in an array
 * literal; `null` is the value of the database.
 */
export const plainColumn = (values: readonly (number | bigint | boolean | string | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join()}}`;

/** One column of texts as a parameter for `unnest`, without what PostgreSQL cannot store. */
export const textColumn = (values: readonly string[]): string => `{${values.map(quoted).join()}}`;

const quoted = (value: string): string => `"${storableText(value).replace(/["\\]/g, '\\$&')}"`;
