import { useCallback, useLayoutEffect, useRef } from 'react';
import type { DefaultValues, FieldValues, Path, PathValue } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useDraft } from './use-draft.js';

interface EditForm<Data, Form> {
  query: { data?: Data; error?: unknown; refetch: () => PromiseLike<{ data?: Data; error?: unknown }> };
  /** Until the object is there. */
  blank: Form;
  formOf: (data: Data) => Form;
  /** Never kept. */
  secrets?: (keyof Form)[];
  /** Tells the forms of one page apart. */
  id?: string;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * A form over an object of the server. From the first keystroke on it shows what it showed then, whatever is loaded again: what is sent is the
 * difference to what was seen, and the server is told what that was.
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
  /** With what was typed over it. */
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
    // While it is being saved, what stood there before may be typed once more.
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
  /** The server has what was sent, and holds this now. What was typed on since is no part of it, and is typed over it. */
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

/** Says so, and answers true, where a change names the object and nothing else. */
export function useNothingChanged() {
  const dispatch = useAppDispatch();
  return (change: object): boolean => {
    const isNothing = Object.keys(change).length === 1;
    if (isNothing) dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
    return isNothing;
  };
}
