import { useEffect, useMemo, useRef } from 'react';
import type { Control, FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { get } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { FieldNames } from './refused-fields.js';
import { placeRefusal } from './refused-fields.js';

/** Error type that distinguishes the server's messages from those of the form's own validation. */
const BY_SERVER = 'server';

type Form<T extends FieldValues> = Pick<
  UseFormReturn<T>,
  'control' | 'setError' | 'clearErrors' | 'getFieldState' | 'subscribe' | 'trigger'
>;

/** react-hook-form keeps a field after it was unmounted, so the name alone is not enough. */
const isDrawn = <T extends FieldValues>(control: Control<T>, name: string): name is FieldPath<T> =>
  (get(control._fields, name) as { _f?: { mount?: boolean } } | undefined)?._f?.mount === true;

const ALIKE = {};

/** Validates fields with a message of the form again in another language: react-hook-form keeps the text that validation returned. */
function useOwnMessages<T extends FieldValues>({ control, trigger, getFieldState }: Form<T>, language: string): void {
  const said = useRef(language);
  useEffect(() => {
    if (said.current === language) return;
    said.current = language;
    const wrong = [...(control._names.mount as Set<FieldPath<T>>)].filter((name) => {
      const { error } = getFieldState(name);
      return error !== undefined && error.type !== BY_SERVER;
    });
    if (wrong.length > 0) void trigger(wrong);
  }, [language, control, trigger, getFieldState]);
}

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
  const { language } = useTranslation().i18n;
  const { at, rest } = useMemo(
    () => placeRefusal(error, names, (name) => isDrawn(control, name)),
    // The messages are in the reader's language.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `placeRefusal` reads the language
    [error, names, control, language],
  );
  const shown = useRef<unknown>(undefined);
  useEffect(() => {
    const isNew = shown.current !== error;
    shown.current = error;
    // In the order of react-hook-form, which is also the order in which its own validation focuses fields.
    const inOrder = [...(control._names.mount as Set<FieldPath<T>>)].filter((name) => at.has(name));
    for (const name of inOrder)
      if (isNew || getFieldState(name).error?.type === BY_SERVER)
        setError(name, { type: BY_SERVER, message: at.get(name) }, { shouldFocus: isNew && name === inOrder[0] });
  }, [at, error, control, setError, getFieldState]);
  useOwnMessages(form, language);
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
