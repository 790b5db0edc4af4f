import type { ReactNode } from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from './field.js';
import type { FieldNames } from './refused-fields.js';
import { placeRefusal } from './refused-fields.js';

type Input = HTMLInputElement & HTMLTextAreaElement;

const ALIKE = {};

/**
 * Like `useRefusedFields`, for pages with a few fields and without react-hook-form. A message stays at its field as long as the field has
 * the refused value. `values` must be in the order of the fields.
 */
export function useRefusedInputs<Name extends string>(
  error: unknown,
  values: Readonly<Record<Name, string>>,
  names: FieldNames<NoInfer<Name>> = ALIKE,
) {
  const inputs = useRef(new Map<string, Input>());
  const latest = useRef(values);
  latest.current = values;
  const [refused, setRefused] = useState({ error, values });
  if (refused.error !== error) setRefused({ error, values });
  const { language } = useTranslation().i18n;
  const { at, rest } = useMemo(
    () => placeRefusal(error, names, (name): name is Name => inputs.current.has(name)),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `placeRefusal` reads the language
    [error, names, language],
  );
  const placed = useRef(at);
  placed.current = at;
  useEffect(() => {
    const first = Object.keys(latest.current).find((name) => placed.current.has(name as Name));
    if (first !== undefined) inputs.current.get(first)?.focus();
  }, [error]);
  /** Properties of a field; `problem`: the message of the page's own validation, which takes precedence. */
  const field = (
    name: Name,
    problem?: string,
    hint?: ReactNode,
  ): Pick<FieldProps, 'name' | 'error' | 'helperText'> & { inputRef: (input: Input | null) => void } => {
    const message = problem ?? (values[name] === refused.values[name] ? at.get(name) : undefined);
    return {
      name,
      error: message !== undefined,
      helperText: message ?? hint,
      inputRef: (input) => void (input ? inputs.current.set(name, input) : inputs.current.delete(name)),
    };
  };
  return { field, rest };
}
