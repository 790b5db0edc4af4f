import type { Json, JsonObject } from '../adapter.js';
import { isObject, objectOf, parseObject, textOf } from '../json.js';

// What a reader takes out of a request without asking must be of the kind it expects, or it would find nothing there and ask the model
// another question than the client's. Only requests that are written anew are looked at: the others go on as the client's own bytes.

/** What is wrong with a value, as a refusal says it; undefined for nothing. `at` is its path. Absent and null are fine. */
export type Shape = (value: Json | undefined, at: string) => string | undefined;

const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null;

const expected = (what: string, at: string): string => `field ${at} is invalid: ${what} is expected`;

const kind =
  (what: string, test: (value: Json) => boolean): Shape =>
  (value, at) =>
    isAbsent(value) || test(value) ? undefined : expected(what, at);

export const text = kind('a text', (value) => typeof value === 'string');
export const number = kind('a number', (value) => typeof value === 'number');
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const anyObject = kind('an object', isObject);

/** A limit of an answer; without one there would be no limit at all. */
export const limit = kind('a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0);
/** What a tool is called with, as a model writes it. A call without any may leave it empty. */
export const argumentsText = kind(
  'a text with a JSON object',
  (value) => typeof value === 'string' && (value.trim() === '' || parseObject(value) !== undefined),
);

export const word = (...words: string[]): Shape =>
  kind(`one of ${words.join(', ')}`, (value) => words.includes(textOf(value)));

/** Neither absent nor an empty text. */
export const required =
  (shape: Shape): Shape =>
  (value, at) =>
    isAbsent(value) || value === '' ? `field ${at} is required` : shape(value, at);

/** Not absent; a text may be empty. */
export const present =
  (shape: Shape): Shape =>
  (value, at) =>
    isAbsent(value) ? `field ${at} is required` : shape(value, at);

export const members =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return expected('an object', at);
    return membersOf(value, shapes, `${at}.`);
  };

function membersOf(value: JsonObject, shapes: Readonly<Record<string, Shape>>, prefix: string): string | undefined {
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

/** A list with something in it, where there is one. */
export const filled: Shape = (value, at) =>
  Array.isArray(value) && value.length === 0 ? expected('at least one part', at) : undefined;

/** At least one of these members is neither absent nor empty. */
export const anyOf =
  (...names: [string, ...string[]]): Shape =>
  (value, at) => {
    const said = objectOf(value);
    return names.some((name) => !isAbsent(said[name]) && said[name] !== '')
      ? undefined
      : `field ${at}.${names[0]} is required`;
  };

/** A text, or what the other shape says. */
export const textOr =
  (shape: Shape): Shape =>
  (value, at) =>
    typeof value === 'string' ? undefined : shape(value, at);

/** An object whose `type` says which shape it has; of a type that is not named here the reader decides. */
export const byType =
  (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  (value, at) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return expected('an object', at);
    const type = value.type ?? otherwise;
    if (typeof type !== 'string')
      return `field ${at}.type is ${isAbsent(type) ? 'required' : 'invalid: a text is expected'}`;
    return Object.hasOwn(shapes, type) ? shapes[type]?.(value, at) : undefined;
  };

/** An object of one of these types, and none beside them. */
export const onlyTypes = (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  both(byType(shapes, otherwise), members({ type: word(...Object.keys(shapes)) }));

/** All of them hold. */
export const both =
  (...shapes: Shape[]): Shape =>
  (value, at) => {
    for (const shape of shapes) {
      const fault = shape(value, at);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** The shape of a whole body. */
export const body =
  (shapes: Readonly<Record<string, Shape>>) =>
  (json: JsonObject): string | undefined =>
    membersOf(json, shapes, '');

/** What no other dialect can say is refused where leaving it out would give another answer than the one that was asked for. */
export const unsayable =
  (isAsked: (value: Json) => boolean, instead?: string): Shape =>
  (value, at) =>
    isAbsent(value) || !isAsked(value)
      ? undefined
      : `${at} is not supported by the channels of this model${instead === undefined ? '' : `: ${instead}`}`;

export const isAnything = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

/** Whether answers of another kind than text are asked for, such as sound. */
export const wantsMoreThanText = (value: Json): boolean =>
  !Array.isArray(value) || value.some((kindOfAnswer) => textOf(kindOfAnswer).toLowerCase() !== 'text');
