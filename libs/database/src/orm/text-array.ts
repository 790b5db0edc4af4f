import { ArrayType, p } from '@mikro-orm/core';

/**
 * Quotes every text. MikroORM's own type leaves plain words bare, so that PostgreSQL takes the text `null` for no value, and escapes line
 * breaks as JSON does, which PostgreSQL does not read.
 */
class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[]): string {
    return `{${value.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  }
}

/** A column of type `text[]` for any texts, e.g. names that people enter. */
export const textArray = () => p.type(TextArray).$type<string[]>();
