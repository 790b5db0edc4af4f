import { useEffect, useMemo } from 'react';
import type { Control, FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { get } from 'react-hook-form';
import type { FieldNames } from './refused-fields.js';
import { placeRefusal } from './refused-fields.js';

/** Error type that distinguishes the server's messages from those of the form's own validation. */
const BY_SERVER = 'server';

type Form<T extends FieldValues> = Pick<
  UseFormReturn<T>,
  'control' | 'setError' | 'clearErrors' | 'getFieldState' | 'subscribe'
>;

/** react-hook-form keeps a field after it was unmounted, so the name alone is not enough. */
const isDrawn = <T extends FieldValues>(control: Control<T>, name: string): name is FieldPath<T> =>
  (get(control._fields, name) as { _f?: { mount?: boolean } } | undefined)?._f?.mount === true;

const ALIKE = {};

/**
 * Shows the server's messages at their fields until these are changed, and focuses the first one. Returns the rest of the error, to be
 * shown above the form. `names` must be a constant outside of components.
 */
export function useRefusedFields<T extends FieldValues>(
  form: Form<T>,
  error: unknown,
  names: FieldNames<FieldPath<T>> = ALIKE,
): unknown {
  const { control, setError, clearErrors, getFieldState, subscribe } = form;
  const { at, rest } = useMemo(
    () => placeRefusal(error, names, (name) => isDrawn(control, name)),
    [error, names, control],
  );
  useEffect(() => {
    // In the order of react-hook-form, which is also the order in which its own validation focuses fields.
    const inOrder = [...(control._names.mount as Set<FieldPath<T>>)].filter((name) => at.has(name));
    for (const name of inOrder)
      setError(name, { type: BY_SERVER, message: at.get(name) }, { shouldFocus: name === inOrder[0] });
  }, [at, control, setError]);
  useEffect(
    () =>
      // react-hook-form clears an error when the user types, but not when a button fills the field in.
      subscribe({
        formState: { values: true },
        callback: ({ name }) => {
          const changed = name as FieldPath<T> | undefined;
          if (changed !== undefined && getFieldState(changed).error?.type === BY_SERVER) clearErrors(changed);
        },
      }),
    [subscribe, getFieldState, clearErrors],
  );
  return rest;
}
