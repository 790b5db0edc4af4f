import type { OptionKey } from '@tollgate/contracts/options/index';
import { isPriced, pricedName } from '@tollgate/pricing';
import * as z from 'zod/mini';
import type { Options } from '../../../api/option.api.js';

/** The price of a model, as texts of a form; an empty text stands for a missing number. */
export const rowSchema = z.object({
  name: z.string(),
  /** USD per call; excludes both ratios. */
  price: z.string(),
  ratio: z.string(),
  completion: z.string(),
});
export type RatioRow = z.infer<typeof rowSchema>;
export type RatioField = Exclude<keyof RatioRow, 'name'>;
export type RatioMaps = Record<RatioField, Record<string, number>>;
/** Staged changes by model; `null` deletes the model's prices. */
export type RatioEdits = ReadonlyMap<string, RatioRow | null>;

export const optionOf: Record<RatioField, OptionKey> = {
  price: 'ModelPrice',
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
};
export const ratioFieldNames = Object.keys(optionOf) as RatioField[];

function readMap(text: string | undefined): Record<string, number> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}

/** Caches the last parsed text: with thousands of models parsing takes longer than rendering a page of rows. */
function remembered(): (text: string | undefined) => Record<string, number> {
  let last: { text: string | undefined; map: Record<string, number> } | undefined;
  return (text) => {
    if (!last || last.text !== text) last = { text, map: readMap(text) };
    return last.map;
  };
}
const readers: Record<RatioField, ReturnType<typeof remembered>> = {
  price: remembered(),
  ratio: remembered(),
  completion: remembered(),
};

export const mapsOf = (options: Options): RatioMaps => ({
  price: readers.price(options.ModelPrice?.value),
  ratio: readers.ratio(options.ModelRatio?.value),
  completion: readers.completion(options.CompletionRatio?.value),
});

const decimal = { useGrouping: false, maximumSignificantDigits: 17 } as const;
/** A number as forms take it: `String` writes very small and very large ones with an exponent. */
function decimalOf(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toLocaleString('en-US', decimal) : text;
}

/** A model may have the name of a member that every object has. */
const textOf = (map: Record<string, number>, name: string): string =>
  Object.hasOwn(map, name) ? decimalOf(map[name] as number) : '';

export const rowOf = (maps: RatioMaps, name: string): RatioRow => ({
  name,
  price: textOf(maps.price, name),
  ratio: textOf(maps.ratio, name),
  completion: textOf(maps.completion, name),
});

/** Every model of the three tables, sorted by name. */
export function rowsOf(maps: RatioMaps): RatioRow[] {
  const names = new Set(ratioFieldNames.flatMap((field) => Object.keys(maps[field])));
  return [...names].sort().map((name) => rowOf(maps, name));
}

/** Served models without a price, by the names under which they are priced. */
export const unsetModels = ({ price, ratio }: RatioMaps, enabled: string[]): string[] =>
  [...new Set(enabled.map(pricedName))].filter((name) => !isPriced(name, { modelPrice: price, modelRatio: ratio }));

/** Staged models whose stored row has changed since the first staged change. */
export const changedByOthers = (maps: RatioMaps, bases: ReadonlyMap<string, RatioRow>, edits: RatioEdits): string[] =>
  [...edits.keys()].filter((name) => {
    const base = bases.get(name);
    return base !== undefined && !sameRow(base, rowOf(maps, name));
  });

const DECIMAL = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const isNumber = (text: string): boolean => DECIMAL.test(text.trim()) && Number.isFinite(Number(text));

/** A key of the dictionaries. */
export type RatioProblem = 'ratio.number' | 'ratio.zero' | 'ratio.freeInput';

/** The problems of a row by field, as keys of the dictionaries. */
export function rowProblems(row: RatioRow): Partial<Record<RatioField, RatioProblem>> {
  const problems: Partial<Record<RatioField, RatioProblem>> = {};
  for (const field of ratioFieldNames) {
    const text = row[field].trim();
    if (text !== '' && !isNumber(text)) problems[field] = 'ratio.number';
  }
  if (isNumber(row.price) && Number(row.price) === 0) problems.price = 'ratio.zero';
  return problems;
}

export const hasProblems = (edits: RatioEdits): boolean =>
  [...edits.values()].some((row) => row && Object.keys(rowProblems(row)).length > 0);

const withoutRatios = (row: RatioRow): RatioRow => ({ ...row, ratio: '', completion: '' });
/** A completion ratio alone is no price. */
export const isUnpriced = ({ price, ratio }: RatioRow): boolean => price.trim() === '' && ratio.trim() === '';

/**
 * A row after the cell of a field is left. A price excludes ratios and vice versa, so a valid number clears the other
 * kind; a row that is left without a price gets the stored one of the other kind back.
 */
export function leftRow(row: RatioRow, field: RatioField, stored: RatioRow): RatioRow {
  if (row[field].trim() !== '') {
    if (rowProblems(row)[field]) return row;
    return field === 'price' ? withoutRatios(row) : { ...row, price: '' };
  }
  if (!isUnpriced(row)) return row;
  const { price, ratio, completion } = stored;
  return field === 'price' ? { ...row, ratio, completion } : { ...row, price };
}

/** Staged models that would lose their price without having been deleted, which is confirmed by itself. */
export const unpricedBy = (maps: RatioMaps, edits: RatioEdits): string[] =>
  [...edits].flatMap(([name, row]) => (row && isUnpriced(row) && !isUnpriced(rowOf(maps, name)) ? name : []));

/**
 * The tables with the staged rows applied. Rows that are not staged are kept as stored, including changes by others.
 */
export function applyEdits(maps: RatioMaps, edits: RatioEdits): RatioMaps {
  const next: RatioMaps = { price: { ...maps.price }, ratio: { ...maps.ratio }, completion: { ...maps.completion } };
  for (const [name, edited] of edits) {
    const row = edited && edited.price.trim() !== '' ? withoutRatios(edited) : edited;
    for (const field of ratioFieldNames) {
      const text = row?.[field].trim() ?? '';
      if (text === '') delete next[field][name];
      else next[field][name] = Number(text);
    }
  }
  return next;
}

/** The numbers that applying the staged rows would change, by model. */
export function differencesOf(maps: RatioMaps, edits: RatioEdits) {
  const after = applyEdits(maps, edits);
  const names = [...edits.keys()].sort();
  const all = names.flatMap((key) => {
    const [stored, next] = [rowOf(maps, key), rowOf(after, key)];
    return ratioFieldNames.map((field) => ({
      ...{ key, field },
      ...{ before: stored[field] || undefined, after: next[field] || undefined },
    }));
  });
  return all.filter(({ before, after: then }) => before !== then);
}

export const sameRow = (one: RatioRow, other: RatioRow): boolean =>
  ratioFieldNames.every((field) => one[field].trim() === other[field].trim());

/** Removes the floating point noise of a division. */
const clean = (value: number): string => (Number.isFinite(value) ? decimalOf(Number(value.toPrecision(12))) : '');

export interface TokenPrices {
  input: string;
  output: string;
}

/**
 * The problems of prices by field, as keys of the dictionaries. An output price alone is a problem, because it is
 * stored as a multiple of the input price; for the same reason none can be stored beside an input price of 0.
 */
export function priceProblems({ input, output }: TokenPrices): Partial<Record<keyof TokenPrices, RatioProblem>> {
  const problems: Partial<Record<keyof TokenPrices, RatioProblem>> = {};
  const isMissing = input.trim() === '' && output.trim() !== '';
  if (isMissing || (input.trim() !== '' && !isNumber(input))) problems.input = 'ratio.number';
  if (output.trim() !== '' && !isNumber(output)) problems.output = 'ratio.number';
  else if (isNumber(input) && Number(input) === 0 && Number(output) > 0) problems.output = 'ratio.freeInput';
  return problems;
}

/**
 * Converts USD per million tokens to ratios: a ratio of 1 is 2 USD per million tokens. Two prices of 0 say nothing about
 * the completion ratio, so the one before is kept.
 */
export function ratiosOfPrices({ input, output }: TokenPrices, before: string): Pick<RatioRow, 'ratio' | 'completion'> {
  if (!isNumber(input)) return { ratio: '', completion: '' };
  const ratio = clean(Number(input) / 2);
  if (!isNumber(output)) return { ratio, completion: '' };
  return { ratio, completion: Number(input) > 0 ? clean(Number(output) / Number(input)) : before };
}

export function pricesOfRatios({ ratio, completion }: Pick<RatioRow, 'ratio' | 'completion'>): TokenPrices {
  if (!isNumber(ratio)) return { input: '', output: '' };
  const input = Number(ratio) * 2;
  return { input: clean(input), output: isNumber(completion) ? clean(input * Number(completion)) : '' };
}
