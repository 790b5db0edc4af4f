import type { Json, JsonObject } from '../adapter.js';
import { isObject, objectOf, textOf } from '../json/json.js';

// Readers take members of the expected type and ignore others, so a member of the wrong type would silently change the question. These
// shapes check requests before they are converted. Requests that are not converted are sent as the client's own bytes, unchecked.

/** A fault of a request: the text of the refusal and the path of the value. */
export interface Misfit {
  text: string;
  at: string;
}

/** Checks a value and returns what is wrong with it, or `undefined`. `at` is its path. Absent and null values are accepted. */
export type Shape = (value: Json | undefined, at: string) => Misfit | undefined;

const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null;

export const expected = (what: string, at: string): Misfit => ({
  at,
  text: `field ${at} is invalid: ${what} is expected`,
});
export const missing = (at: string): Misfit => ({ at, text: `field ${at} is required` });
/** `what` describes the value more closely than its path does. */
export const unsupported = (at: string, what = '', instead?: string): Misfit => ({
  at,
  text: `${at}${what} is not supported by the channels of this model${instead === undefined ? '' : `: ${instead}`}`,
});

const kind =
  (what: string, test: (value: Json) => boolean): Shape =>
  (value, at) =>
    isAbsent(value) || test(value) ? undefined : expected(what, at);

export const text = kind('a text', (value) => typeof value === 'string');
export const number = kind('a number', (value) => typeof value === 'number');
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const anyObject = kind('an object', isObject);

/** A limit on the length of an answer. 0 is refused, because it would drop the limit. */
export const limit = kind('a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0);
/** A token budget for thinking. */
export const wholeFrom = (least: number): Shape =>
  kind(`a whole number from ${least}`, (value) => Number.isInteger(value) && Number(value) >= least);
export const word = (...words: string[]): Shape =>
  kind(`one of ${words.join(', ')}`, (value) => words.includes(textOf(value)));

/** Refuses an absent value and an empty string. */
export const required =
  (shape: Shape): Shape =>
  (value, at) =>
    isAbsent(value) || value === '' ? missing(at) : shape(value, at);

/** Refuses an absent value, but accepts an empty string. */
export const present =
  (shape: Shape): Shape =>
  (value, at) =>
    isAbsent(value) ? missing(at) : shape(value, at);

export const members =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return expected('an object', at);
    return membersOf(value, shapes, `${at}.`);
  };

function membersOf(value: JsonObject, shapes: Readonly<Record<string, Shape>>, prefix: string): Misfit | undefined {
  for (const [name, shape] of Object.entries(shapes)) {
    const fault = shape(value[name], prefix + name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export const list =
  (item: Shape): Shape =>
  (value, at) => {
    if (isAbsent(value)) return undefined;
    if (!Array.isArray(value)) return expected('a list', at);
    for (const [index, one] of value.entries()) {
      const fault = present(item)(one, `${at}.${index}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

const atLeastOne =
  (what: string): Shape =>
  (value, at) =>
    Array.isArray(value) && value.length === 0 ? expected(`at least one ${what}`, at) : undefined;

/** A list, if present, must not be empty. */
export const filled = atLeastOne('part');
/** A list of tools that may be called must not be empty; `none` disables tools. */
export const someTool = atLeastOne('tool');

/** An object in which at least one of these members is neither absent nor empty. */
export const anyOf =
  (...names: [string, ...string[]]): Shape =>
  (value, at) => {
    const object = objectOf(value);
    return names.some((name) => !isAbsent(object[name]) && object[name] !== '')
      ? undefined
      : missing(`${at}.${names[0]}`);
  };

/** A string, or a value of the other shape. */
export const textOr =
  (shape: Shape): Shape =>
  (value, at) =>
    typeof value === 'string' ? undefined : shape(value, at);

/** An object whose `type` selects its shape; `unknown` makes the shape for other types. */
const typed =
  (shapes: Readonly<Record<string, Shape>>, otherwise: string | undefined, unknown: (type: string) => Shape): Shape =>
  (value, at) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return expected('an object', at);
    const type = value.type ?? otherwise;
    if (isAbsent(type)) return missing(`${at}.type`);
    if (typeof type !== 'string') return expected('a text', `${at}.type`);
    return (Object.hasOwn(shapes, type) ? shapes[type] : unknown(type))?.(value, at);
  };

/** An object whose `type` selects its shape. Other types exist in the dialect, but no other dialect can express them. */
export const byType = (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  typed(shapes, otherwise, (type) => (_, at) => unsupported(at, ` of type ${type}`));

/** An object whose `type` must be one of these. */
export const onlyTypes = (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  typed(shapes, otherwise, () => members({ type: word(...Object.keys(shapes)) }));

/** Accepts anything. */
export const anything: Shape = () => undefined;

/** All shapes must accept the value; the first fault is returned. */
export const both =
  (...shapes: Shape[]): Shape =>
  (value, at) => {
    for (const shape of shapes) {
      const fault = shape(value, at);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** The shape of a whole request body. */
export const body =
  (shapes: Readonly<Record<string, Shape>>) =>
  (json: JsonObject): Misfit | undefined =>
    membersOf(json, shapes, '');

/** Refuses a member that no other dialect can express, if dropping it would change the answer. */
export const unsayable =
  (isAsked: (value: Json) => boolean, instead?: string): Shape =>
  (value, at) =>
    isAbsent(value) || !isAsked(value) ? undefined : unsupported(at, '', instead);

/** OpenAI's values for reasoning effort and verbosity; other upstreams also know `max`. */
export const effort = word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
export const verbosity = word('low', 'medium', 'high');

const thought = members({ budget_tokens: limit });
/** Anthropic's `thinking`, plus the type `auto` of other upstreams. */
export const thinking = onlyTypes({
  ...{ enabled: thought, disabled: thought, adaptive: thought, between_tools: thought },
  auto: thought,
});

export const isAnything = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

/** Whether answers other than text are requested, such as audio. */
export const wantsMoreThanText = (value: Json): boolean =>
  !Array.isArray(value) || value.some((kindOfAnswer) => textOf(kindOfAnswer).toLowerCase() !== 'text');
