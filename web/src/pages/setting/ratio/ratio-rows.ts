import type { OptionKey } from '@tollgate/contracts/options/index';
import type { Options } from '../../../api/option.api.js';

/** What a model costs, as texts of a form; an empty text is an absent number. */
export interface RatioRow {
  name: string;
  /** USD per call; excludes both ratios. */
  price: string;
  ratio: string;
  completion: string;
}
export type RatioField = Exclude<keyof RatioRow, 'name'>;
export type RatioMaps = Record<RatioField, Record<string, number>>;
/** Staged changes by model; null: to be deleted. */
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

/** The same texts make the same tables: with thousands of models reading them takes longer than drawing a page of rows. */
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

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

export const rowOf = (maps: RatioMaps, name: string): RatioRow => ({
  name,
  price: textOf(maps.price[name]),
  ratio: textOf(maps.ratio[name]),
  completion: textOf(maps.completion[name]),
});

/** Every model that stands in one of the three tables, by name. */
export function rowsOf(maps: RatioMaps): RatioRow[] {
  const names = new Set(ratioFieldNames.flatMap((field) => Object.keys(maps[field])));
  return [...names].sort().map((name) => rowOf(maps, name));
}

/** Models that are served and have neither a price nor a ratio. */
export const unsetModels = (maps: RatioMaps, enabled: string[]): string[] =>
  enabled.filter((name) => !(name in maps.price) && !(name in maps.ratio));

/** Staged models whose stored row is another one than when they were first changed here. */
export const changedByOthers = (maps: RatioMaps, bases: ReadonlyMap<string, RatioRow>, edits: RatioEdits): string[] =>
  [...edits.keys()].filter((name) => {
    const base = bases.get(name);
    return base !== undefined && !sameRow(base, rowOf(maps, name));
  });

const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text.trim());

/** A key of the dictionary. */
export type RatioProblem = 'ratio.number' | 'ratio.zero';

/** Keys of what is wrong with a row, by field. */
export function rowProblems(row: RatioRow): Partial<Record<RatioField, RatioProblem>> {
  const problems: Partial<Record<RatioField, RatioProblem>> = {};
  for (const field of ratioFieldNames) {
    const text = row[field].trim();
    if (text !== '' && !isNumber(text)) problems[field] = 'ratio.number';
  }
  if (isNumber(row.price) && Number(row.price) === 0) problems.price = 'ratio.zero';
  return problems;
}

/** A price excludes ratios, and a ratio excludes the price: whoever is set last stays. */
export function withField(row: RatioRow, field: RatioField, text: string): RatioRow {
  const next = { ...row, [field]: text };
  if (text.trim() === '') return next;
  return field === 'price' ? { ...next, ratio: '', completion: '' } : { ...next, price: '' };
}

/** The tables with the staged rows in them; rows nobody touched are as they came, whoever changed them meanwhile. */
export function applyEdits(maps: RatioMaps, edits: RatioEdits): RatioMaps {
  const next: RatioMaps = { price: { ...maps.price }, ratio: { ...maps.ratio }, completion: { ...maps.completion } };
  for (const [name, row] of edits) {
    for (const field of ratioFieldNames) {
      const text = row?.[field].trim() ?? '';
      if (text === '') delete next[field][name];
      else next[field][name] = Number(text);
    }
  }
  return next;
}

export const sameRow = (one: RatioRow, other: RatioRow): boolean =>
  ratioFieldNames.every((field) => one[field].trim() === other[field].trim());

/** Decimal noise of a division is no price. */
const clean = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(12))) : '');

export interface TokenPrices {
  input: string;
  output: string;
}

/** Keys of what is wrong with prices, by field; what comes out follows what goes in, so alone it says nothing. */
export function priceProblems({ input, output }: TokenPrices): Partial<Record<keyof TokenPrices, RatioProblem>> {
  const problems: Partial<Record<keyof TokenPrices, RatioProblem>> = {};
  const isMissing = input.trim() === '' && output.trim() !== '';
  if (isMissing || (input.trim() !== '' && !isNumber(input))) problems.input = 'ratio.number';
  if (output.trim() !== '' && !isNumber(output)) problems.output = 'ratio.number';
  return problems;
}

/** USD per million tokens ↔ ratios: a ratio of 1 is 2 USD per million. */
export function ratiosOfPrices(input: string, output: string): Pick<RatioRow, 'ratio' | 'completion'> {
  if (!isNumber(input)) return { ratio: '', completion: '' };
  const completion = isNumber(output) && Number(input) > 0 ? clean(Number(output) / Number(input)) : '';
  return { ratio: clean(Number(input) / 2), completion };
}

export function pricesOfRatios({ ratio, completion }: Pick<RatioRow, 'ratio' | 'completion'>): TokenPrices {
  if (!isNumber(ratio)) return { input: '', output: '' };
  const input = Number(ratio) * 2;
  return { input: clean(input), output: isNumber(completion) ? clean(input * Number(completion)) : '' };
}
