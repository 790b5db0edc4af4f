import type { Json, JsonObject } from '../adapter.js';
import { isObject, objectOf, textOf } from '../json/json.js';

// What a reader takes out of a request without asking must be of the kind it expects, or it would find nothing there and ask the model
// another question than the client's. Only requests that are written anew are checked: the others go on as the client's own bytes.

/** What is wrong, as a refusal says it, and the path of where. */
export interface Misfit {
  text: string;
  at: string;
}

/** What is wrong with a value; undefined for nothing. `at` is its path. Absent and null are fine. */
export type Shape = (value: Json | undefined, at: string) => Misfit | undefined;

const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null;

export const expected = (what: string, at: string): Misfit => ({
  at,
  text: `field ${at} is invalid: ${what} is expected`,
});
export const missing = (at: string): Misfit => ({ at, text: `field ${at} is required` });
/** `what` names it more closely than its path does. */
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

/** A limit of an answer; without one there would be no limit at all. */
export const limit = kind('a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0);
/** Tokens to think with, where a number says so. */
export const wholeFrom = (least: number): Shape =>
  kind(`a whole number from ${least}`, (value) => Number.isInteger(value) && Number(value) >= least);
export const word = (...words: string[]): Shape =>
  kind(`one of ${words.join(', ')}`, (value) => words.includes(textOf(value)));

/** Neither absent nor an empty text. */
export const required =
  (shape: Shape): Shape =>
  (value, at) =>
    isAbsent(value) || value === '' ? missing(at) : shape(value, at);

/** Not absent; a text may be empty. */
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

/** A list with something in it, where there is one. */
export const filled = atLeastOne('part');
/** A list of tools that may be called; none at all is said by `none`. */
export const someTool = atLeastOne('tool');

/** The shape of an object in which at least one of these members is neither absent nor empty. */
export const anyOf =
  (...names: [string, ...string[]]): Shape =>
  (value, at) => {
    const said = objectOf(value);
    return names.some((name) => !isAbsent(said[name]) && said[name] !== '') ? undefined : missing(`${at}.${names[0]}`);
  };

/** A text, or what the other shape says. */
export const textOr =
  (shape: Shape): Shape =>
  (value, at) =>
    typeof value === 'string' ? undefined : shape(value, at);

/** An object whose `type` says which shape it has; one of another type is `unknown`. */
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

/** An object whose `type` says which shape it has. The dialect has other types as well, which nobody else could be told of. */
export const byType = (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  typed(shapes, otherwise, (type) => (_, at) => unsupported(at, ` of type ${type}`));

/** An object of one of these types, and none beside them. */
export const onlyTypes = (shapes: Readonly<Record<string, Shape>>, otherwise?: string): Shape =>
  typed(shapes, otherwise, () => members({ type: word(...Object.keys(shapes)) }));

/** The shape of a member that may be anything. */
export const anything: Shape = () => undefined;

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
  (json: JsonObject): Misfit | undefined =>
    membersOf(json, shapes, '');

/** What no other dialect can say is refused where leaving it out would give another answer than the one that was asked for. */
export const unsayable =
  (isAsked: (value: Json) => boolean, instead?: string): Shape =>
  (value, at) =>
    isAbsent(value) || !isAsked(value) ? undefined : unsupported(at, '', instead);

/** What OpenAI's models take for how long they think and how much they say; `max` is a word of others. */
export const effort = word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
export const verbosity = word('low', 'medium', 'high');

const thought = members({ budget_tokens: limit });
/** Anthropic's `thinking`, and the one word that others have beside. */
export const thinking = onlyTypes({ enabled: thought, disabled: thought, adaptive: thought, auto: thought });

export const isAnything = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

/** Whether answers of another kind than text are asked for, such as sound. */
export const wantsMoreThanText = (value: Json): boolean =>
  !Array.isArray(value) || value.some((kindOfAnswer) => textOf(kindOfAnswer).toLowerCase() !== 'text');
