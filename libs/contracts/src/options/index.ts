import type { z } from 'zod';
import type { OptionRow } from './option.js';
import { type OptionKey, optionRows } from './option-rows.js';

export { checkOptionGuards, neededFor } from './option-guards.js';
export { strangeName } from './json-names.js';
export { changesPrices, PRICING_OPTIONS } from './pricing-options.js';
export { type OptionRow, optionCards } from './option.js';
export { type OptionKey, optionRows } from './option-rows.js';

export type OptionValue<Key extends OptionKey> = z.output<(typeof optionRows)[Key]['schema']>;

export const optionKeys = Object.keys(optionRows) as OptionKey[];
export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(optionRows, key);
export const isSecret = (key: OptionKey): boolean => optionRows[key].secret;

export const defaultOptions = Object.fromEntries(optionKeys.map((key) => [key, optionRows[key].default])) as Record<
  OptionKey,
  string
>;

type ParsedOption<Value> = { ok: true; value: Value } | { ok: false; message: string };

/** Parses an option's text, or returns the message that refuses it. Dependencies between options are checked by `checkOptionGuards`. */
export function parseOption<Key extends OptionKey>(key: Key, text: string): ParsedOption<OptionValue<Key>> {
  const row: OptionRow = optionRows[key];
  const result = row.schema.safeParse(text);
  if (!result.success) return { ok: false, message: result.error.issues[0]?.message ?? '无效的参数' };
  return { ok: true, value: result.data as OptionValue<Key> };
}
