import type { ApiError } from '../../api/api-error.js';
import type { OptionKey } from '@tollgate/contracts/options/index';
import { parseOption } from '@tollgate/contracts/options/index';
import { jsonFault } from '../../components/json/json-text.js';
import type { FieldKind, SettingField } from './setting-fields.js';

/**
 * A problem with a text: the key of its text in the dictionaries with parameters, and the server's message for Chinese
 * readers.
 */
export interface Problem {
  key: `problem.${FieldKind | 'entry' | 'shape' | 'conflict' | 'refused'}`;
  params?: Record<string, string | number>;
  /** The registry's message: exact, and in Chinese. */
  message: string;
  /** The server's refusal, which is described in the language of the reader. */
  error?: ApiError;
}

/** The first entry of a map that is invalid on its own. */
function badEntry(key: OptionKey, text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([name, item]) => !parseOption(key, JSON.stringify({ [name]: item })).ok)?.[0];
}

function jsonProblem(key: OptionKey, text: string, message: string): Problem {
  const fault = jsonFault(text, 'any');
  if (fault) return { key: 'problem.json', params: { ...fault }, message };
  if (text.trim() === '') return { key: 'problem.shape', message };
  const name = badEntry(key, text);
  if (name !== undefined) return { key: 'problem.entry', params: { name }, message };
  return { key: 'problem.shape', message };
}

const NUMBERS: readonly FieldKind[] = ['integer', 'decimal'];

/** Why a text cannot be saved, or `undefined` if it can; validated by the rules of the option registry. */
export function problemOf({ key, kind }: SettingField, text: string): Problem | undefined {
  const parsed = parseOption(key, text);
  if (parsed.ok) return undefined;
  const { message } = parsed;
  if (kind === 'json') return jsonProblem(key, text, message);
  const [min, max] = NUMBERS.includes(kind) ? (message.match(/-?\d+(?:\.\d+)?/g) ?? []) : [];
  if (min !== undefined && max !== undefined) return { key: `problem.${kind}`, params: { min, max }, message };
  return { key: `problem.${kind}`, message };
}

const ONE_LINE: readonly FieldKind[] = ['line', 'link', 'address', ...NUMBERS];

/**
 * The text as it is saved: blanks around what fits on one line are slips, which nobody could see in the list of options later. Addresses
 * also lose trailing slashes.
 */
export function textToSave({ kind }: SettingField, text: string): string {
  const saved = ONE_LINE.includes(kind) ? text.trim() : text;
  return kind === 'address' ? saved.replace(/\/+$/, '') : saved;
}
