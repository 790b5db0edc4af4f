import { describeField, isApiError } from '../../api/api-error.js';

/** What the server calls a field → what the form does; what both call alike, but for its spelling, needs no entry. */
export type FieldNames<Name extends string = string> = Readonly<Record<string, Name>>;

export interface PlacedRefusal<Name extends string> {
  /** Field → what is said of it. */
  at: ReadonlyMap<Name, string>;
  /** What is left to be said above the form. */
  rest: unknown;
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The closest field of the form to `setting.models[0].price`, a part of which it may hold as one text. */
function closestTo<Name extends string>(
  path: string,
  names: FieldNames<Name>,
  isField: (name: string) => name is Name,
): Name | undefined {
  const steps = path.replaceAll('[', '.').replaceAll(']', '').split('.');
  for (let length = steps.length; length > 0; length -= 1) {
    const part = steps.slice(0, length).join('.');
    const found = [names[part] ?? part, camelCase(part)].find(isField);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Puts what a refusal says of single fields to those of a form. `isField`: it has such a one, and shows it. */
export function placeRefusal<Name extends string>(
  error: unknown,
  names: FieldNames<Name>,
  isField: (name: string) => name is Name,
): PlacedRefusal<Name> {
  const at = new Map<Name, string>();
  if (!isApiError(error)) return { at, rest: error };
  const { fields = [] } = error;
  const left = fields.filter((field) => {
    const name = closestTo(field.path, names, isField);
    if (name !== undefined && !at.has(name)) at.set(name, describeField(error, field));
    return name === undefined;
  });
  if (at.size === 0) return { at, rest: error };
  // The sentence of the whole is that of its first field, which may have its place.
  const [first] = left;
  return { at, rest: first && { ...error, message: describeField(error, first) } };
}
