import type { InvoiceFormat, NamedColumns } from '@tollgate/contracts/api/invoice';
import { storableText } from '@tollgate/chassis';
import { nanos } from './decimal.js';
import { modelKey } from './model-key.js';

/** The usage of one day and model that a row of a file states. */
export interface InvoiceUsage {
  day: string;
  model: string;
  requests: number;
  /** Prompt tokens, including cached ones. */
  input: number;
  /** The part of `input` that was read from a cache. */
  cached: number;
  output: number;
  /** Billionths of a dollar. */
  amount?: bigint;
}

export type Cells = (name: string) => string | undefined;

export interface Format {
  /** The time zone of the file's days. */
  zone: string;
  /** The head is the first row that contains a name of each of these lists. */
  head: readonly (readonly string[])[];
  /**
   * `undefined` when the row states no usage (an empty bucket, a sum, a credit). Throws an error with the faulty text.
   */
  read: (cells: Cells) => InvoiceUsage | undefined;
}

const first = (cells: Cells, ...names: string[]): string =>
  names.map(cells).find((value) => value !== undefined && value.trim() !== '') ?? '';

/** Longer than any name of a model, and short enough for an index. */
const MAX_MODEL = 256;
/** A billion dollars, in billionths. */
const MAX_AMOUNT = 10n ** 18n;

/** Parses a count. Exports also write 3.0 and 1,234, and credit notes contain negative counts. */
function countOf(text: string): number {
  if (text.trim() === '') return 0;
  const match = /^\s*(-?(?:\d{1,3}(?:,\d{3})+|\d+))(?:\.0*)?\s*$/.exec(text);
  const count = match ? Number(match[1]?.replaceAll(',', '')) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new Error(text);
  return count;
}

function amountOf(text: string): bigint | undefined {
  if (text.trim() === '') return undefined;
  const value = nanos(text);
  if (value === undefined || value > MAX_AMOUNT || value < -MAX_AMOUNT) throw new Error(text);
  return value;
}

function modelOf(name: string): string {
  // Normalized as it will be stored, so that two names of a day that are stored alike become one.
  const model = storableText(modelKey(name));
  if (model.length > MAX_MODEL) throw new Error(name);
  return model;
}

const UNIX_SECONDS = /^\d{9,10}(?:\.0+)?$/;
const ISO_DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ](.*))?$/;
const OFFSET = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i;
/** Plausible years: no model was billed before, and wrong server clocks are usually wrong by years. */
const YEARS = ['2000', '2100'] as const;

/**
 * Parses `2026-11-23`, ISO 8601 with a time, or Unix seconds. A time without an offset is in the time zone of the file.
 */
function dayOf(text: string): string {
  const value = text.trim();
  const [, date = '', time = ''] = ISO_DAY.exec(value) ?? [];
  const written = `${date}${time && `T${time}`}`;
  const moment = UNIX_SECONDS.test(value) ? Number(value) * 1000 : Date.parse(OFFSET.test(time) ? value : utc(written));
  const isReal = date === '' || isDay(date);
  const day = Number.isNaN(moment) || !isReal ? '' : new Date(moment).toISOString().slice(0, 10);
  if (day < YEARS[0] || day >= YEARS[1]) throw new Error(text);
  return day;
}

const utc = (written: string): string => (written.includes('T') ? `${written}Z` : written);

/** False for dates such as the thirtieth of February. */
function isDay(date: string): boolean {
  const moment = Date.parse(date);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(date);
}

/**
 * OpenAI's exports: usage in buckets of a minute to a day with any grouping, and costs, whose line items name model and
 * kind.
 */
const openai: Format = {
  zone: 'UTC',
  head: [
    ['start_time_iso', 'start_time'],
    ['input_tokens', 'amount_value'],
  ],
  read(cells) {
    const model = first(cells, 'model', 'line_item').split(',')[0] ?? '';
    if (model.trim() === '') return undefined;
    const amount = amountOf(first(cells, 'amount_value'));
    return {
      day: dayOf(first(cells, 'start_time_iso', 'start_time')),
      model: modelOf(model),
      requests: countOf(first(cells, 'num_model_requests')),
      input: countOf(first(cells, 'input_tokens')),
      cached: countOf(first(cells, 'input_cached_tokens')),
      output: countOf(first(cells, 'output_tokens')),
      ...(amount !== undefined && { amount }),
    };
  },
};

/** Anthropic's exports, which list cached tokens separately from the prompt's. */
const anthropic: Format = {
  zone: 'UTC',
  head: [['usage_date_utc'], ['model_version', 'model'], ['usage_input_tokens_no_cache', 'cost_usd']],
  read(cells) {
    const model = first(cells, 'model_version', 'model');
    if (model.trim() === '') return undefined;
    const cached = countOf(first(cells, 'usage_input_tokens_cache_read'));
    const written = [
      'usage_input_tokens_cache_write',
      'usage_input_tokens_cache_write_5m',
      'usage_input_tokens_cache_write_1h',
    ];
    const writes = written.reduce((sum, name) => sum + countOf(first(cells, name)), 0);
    const amount = amountOf(first(cells, 'cost_usd'));
    return {
      day: dayOf(first(cells, 'usage_date_utc')),
      model: modelOf(model),
      requests: 0,
      input: countOf(first(cells, 'usage_input_tokens_no_cache')) + cached + writes,
      cached,
      output: countOf(first(cells, 'usage_output_tokens')),
      ...(amount !== undefined && { amount }),
    };
  },
};

const GEMINI = /gemini[ -](\d+(?:\.\d+)?)[ -](pro|flash|ultra|nano)((?:[ -](?:lite|native image|image|live))?)/i;

/** The model name in a SKU description such as `gemini 2.5 flash short input text`. */
function modelOfSku(sku: string): string {
  const match = GEMINI.exec(sku);
  if (!match) return modelOf(sku);
  const [, version = '', family = '', more = ''] = match;
  const suffix = more.trim().toLowerCase().replace('native ', '');
  return `gemini-${version}-${family.toLowerCase()}${suffix && `-${suffix}`}`;
}

/** Whether a SKU counts prompt, cached or output tokens; `undefined` for cache storage, which is billed by the hour. */
function sideOfSku(sku: string): 'input' | 'cached' | 'output' | undefined {
  const side = /\b(input|output) token/i.exec(sku) ?? /\b(input|output)\b/i.exec(sku);
  if (!side) return undefined;
  if (side[1]?.toLowerCase() === 'output') return 'output';
  return /cach/i.test(sku) ? 'cached' : 'input';
}

/** Google's daily reports and cost table: one row per SKU and day, with days in Californian time. */
const google: Format = {
  zone: 'America/Los_Angeles',
  head: [['Date', 'Usage start date'], ['SKU description'], ['Usage amount']],
  read(cells) {
    const sku = first(cells, 'SKU description');
    const date = first(cells, 'Date', 'Usage start date');
    // The sums at the end have neither SKU nor date.
    if (sku === '' || date === '' || first(cells, 'Credit type') !== '') return undefined;
    const side = first(cells, 'Usage unit') === 'count' ? sideOfSku(sku) : undefined;
    const tokens = side ? countOf(first(cells, 'Usage amount')) : 0;
    const amount = amountOf(
      first(cells, 'Unrounded subtotal ($)', 'Unrounded Cost ($)', 'Unrounded cost ($)', 'Subtotal ($)', 'Cost ($)'),
    );
    return {
      day: dayOf(date),
      model: modelOfSku(sku),
      requests: 0,
      input: side === 'output' ? 0 : tokens,
      cached: side === 'cached' ? tokens : 0,
      output: side === 'output' ? tokens : 0,
      ...(amount !== undefined && { amount }),
    };
  },
};

/** Any file with a day and a model in each row. */
function byColumns(columns: NamedColumns): Format {
  const { day, model, input_includes_cache: includes, ...counted } = columns;
  return {
    zone: 'UTC',
    head: [day, model, ...Object.values(counted)].map((name) => [name]),
    read(cells) {
      const value = (name: string | undefined): string => (name === undefined ? '' : first(cells, name));
      if (value(model) === '') return undefined;
      const cached = countOf(value(columns.cache_read));
      const input = countOf(value(columns.input));
      const amount = amountOf(value(columns.amount));
      return {
        day: dayOf(value(day)),
        model: modelOf(value(model)),
        requests: countOf(value(columns.requests)),
        input: includes ? input : input + cached + countOf(value(columns.cache_write)),
        cached,
        output: countOf(value(columns.output)),
        ...(amount !== undefined && { amount }),
      };
    },
  };
}

const known = { openai, anthropic, google };

export function formatOf(format: InvoiceFormat, columns: NamedColumns | undefined): Format {
  if (format !== 'columns') return known[format];
  if (!columns) throw new Error('a file by its columns needs their names');
  return byColumns(columns);
}
