import { useCallback, useLayoutEffect, useRef } from 'react';
import type { DefaultValues, FieldValues, Path, PathValue } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useDraft } from './use-draft.js';

interface EditForm<Data, Form> {
  query: { data?: Data; error?: unknown; refetch: () => PromiseLike<{ data?: Data; error?: unknown }> };
  /** The values shown until the object is loaded. */
  blank: Form;
  formOf: (data: Data) => Form;
  /** Fields that drafts never contain. */
  secrets?: (keyof Form)[];
  /** Distinguishes the forms of one page. */
  id?: string;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * A form that edits an object of the server. Once the user has typed, reloading the object does not change the form. A save sends only the
 * fields that differ from the values seen, with those values, so that the server can detect a conflict.
 */
export function useEditForm<Data, Form extends FieldValues>({
  query,
  blank,
  formOf,
  secrets,
  id,
}: EditForm<Data, Form>) {
  const { data, error, refetch } = query;
  const form = useForm<Form>({ defaultValues: blank as DefaultValues<Form> });
  const { reset, setValue, getValues, formState } = form;
  const { isDirty, isSubmitting } = formState;
  const seen = useRef(blank);
  /** Shows a stored object, with changed fields applied on top. */
  const show = useCallback(
    (values: Form, typed: Partial<Form> = {}) => {
      seen.current = values;
      reset(values);
      for (const [name, value] of Object.entries(typed))
        setValue(name as Path<Form>, value as PathValue<Form, Path<Form>>, { shouldDirty: true });
    },
    [reset, setValue],
  );
  useLayoutEffect(() => {
    // Not while saving: the user may type the previous value again.
    if (data !== undefined && !isDirty && !isSubmitting) show(formOf(data));
  }, [data, isDirty, isSubmitting, formOf, show]);
  useDraft(form, {
    ready: data !== undefined,
    id,
    secrets,
    seen: { read: () => seen.current, restore: (part) => show({ ...seen.current, ...part }) },
  });
  const typed = (): Partial<Form> => {
    const changed = Object.entries(getValues()).filter(([name, value]) => !same(value, seen.current[name]));
    return Object.fromEntries(changed) as Partial<Form>;
  };
  const fresh = async () => {
    const reply = await refetch();
    return { error: reply.error, form: reply.error || reply.data === undefined ? undefined : formOf(reply.data) };
  };
  /**
   * Called after a save with the values sent and the object as it is stored now. What the user typed meanwhile is applied on top of the
   * stored object.
   */
  const saved = (sent: Form, stored: Form) => {
    const typedOn = Object.entries(getValues()).filter(([name, value]) => !same(value, sent[name]));
    show(stored, Object.fromEntries(typedOn) as Partial<Form>);
  };
  const load = { pending: !data, error: data ? undefined : error, retry: () => void refetch() };
  return { form, load, seen: () => seen.current, typed, show, saved, fresh };
}
export type Edit<Form extends FieldValues> = Pick<
  ReturnType<typeof useEditForm<unknown, Form>>,
  'seen' | 'typed' | 'show' | 'fresh'
>;

/** Returns a function that shows a warning and returns `true` if a change contains only the id of the object. */
export function useNothingChanged() {
  const dispatch = useAppDispatch();
  return (change: object): boolean => {
    const isNothing = Object.keys(change).length === 1;
    if (isNothing) dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
    return isNothing;
  };
}
