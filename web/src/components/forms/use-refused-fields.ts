import { useEffect, useMemo } from 'react';
import type { Control, FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { get } from 'react-hook-form';
import type { FieldNames } from './refused-fields.js';
import { placeRefusal } from './refused-fields.js';

/** Tells what the server said from what the form itself says. */
const BY_SERVER = 'server';

type Form<T extends FieldValues> = Pick<
  UseFormReturn<T>,
  'control' | 'setError' | 'clearErrors' | 'getFieldState' | 'subscribe'
>;

/** A field that was drawn once and is no more stays known to the form. */
const isDrawn = <T extends FieldValues>(control: Control<T>, name: string): name is FieldPath<T> =>
  (get(control._fields, name) as { _f?: { mount?: boolean } } | undefined)?._f?.mount === true;

const ALIKE = {};

/**
 * What the server says of single fields stands at them until they are changed, and the first has the focus. Answers what is left of the refusal, to
 * be shown above the form. `names` is made once, outside of components.
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
    // In the order in which the form itself looks for the first one.
    const inOrder = [...(control._names.mount as Set<FieldPath<T>>)].filter((name) => at.has(name));
    for (const name of inOrder)
      setError(name, { type: BY_SERVER, message: at.get(name) }, { shouldFocus: name === inOrder[0] });
  }, [at, control, setError]);
  useEffect(
    () =>
      // Buttons that fill a field in are no typing, which the form judges anew by itself.
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
