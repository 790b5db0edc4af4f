import { isPlainObject, type JsonObject } from '@tollgate/providers';

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === 'string';
const isNumber: Fits = (value) => typeof value === 'number';
/** Proxies give ids as texts; clients that count with them send numbers. */
const isId: Fits = (value) => isText(value) || isNumber(value);

const typed = (fits: Fits, ...names: string[]): [string, Fits][] => names.map((name) => [name, fits]);

/** The documented fields of submissions of drawings. Clients send others, too, and those are forwarded as they are. */
export const DRAWING_FIELDS: ReadonlyMap<string, Fits> = new Map([
  ...typed(isText, 'prompt', 'action', 'content', 'customId', 'botType', 'state', 'maskBase64', 'notifyHook'),
  ...typed(isText, 'sourceBase64', 'targetBase64'),
  ...typed(isId, 'taskId'),
  ...typed(Number.isInteger, 'index'),
  ...typed((value) => Array.isArray(value) && value.every(isText), 'base64Array'),
  ...typed(isPlainObject, 'accountFilter'),
]);

/** The documented fields of submissions of songs. */
export const SONG_FIELDS: ReadonlyMap<string, Fits> = new Map([
  ...typed(isText, 'prompt', 'mv', 'title', 'tags', 'continue_clip_id', 'gpt_description_prompt'),
  ...typed(isId, 'task_id'),
  ...typed(isNumber, 'continue_at'),
  ...typed((value) => typeof value === 'boolean', 'make_instrumental'),
]);

/** The first field whose value has another type than is documented; `null` stands for an absent field. */
export function misfit(body: JsonObject, fields: ReadonlyMap<string, Fits>): string | undefined {
  for (const [name, fits] of fields) {
    const value = body[name];
    if (value !== undefined && value !== null && !fits(value)) return name;
  }
  return undefined;
}
