import { describeField, isApiError } from '../../api/api-error.js';

/** The server's name of a field → the form's. Names that differ only in snake_case and camelCase need no entry. */
export type FieldNames<Name extends string = string> = Readonly<Record<string, Name>>;

interface PlacedRefusal<Name extends string> {
  /** Field → message. */
  at: ReadonlyMap<Name, string>;
  /** The error that remains to be shown above the form. */
  rest: unknown;
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The form's field for a path such as `setting.models[0].price`: the longest prefix that is a field, since a form may edit a whole object
 * as one text.
 */
function closestTo<Name extends string>(
  path: string,
  names: FieldNames<Name>,
  isField: (name: string) => name is Name,
): Name | undefined {
  const steps = path.replaceAll('[', '.').replaceAll(']', '').split('.');
  for (let length = steps.length; length > 0; length -= 1) {
    const part = steps.slice(0, length).join('.');
    // `part` may be a name that every object has, such as `constructor`.
    const named = Object.hasOwn(names, part) ? names[part] : undefined;
    const field = [named ?? part, camelCase(part)].find(isField);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** Assigns the messages of a refusal to fields of a form. `isField`: the form shows a field of this name. */
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
  // The message of the whole error is that of its first field, which may have been assigned already.
  const [first] = left;
  return { at, rest: first && { ...error, message: describeField(error, first) } };
}
