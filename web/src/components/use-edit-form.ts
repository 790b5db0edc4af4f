import type { DefaultValues, FieldValues } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { toastShown } from '../app/slices/toasts.js';
import { useAppDispatch } from '../app/store.js';
import { useDraft } from './use-draft.js';

interface EditForm<Data, Form> {
  query: { data?: Data; error?: unknown; refetch: () => unknown };
  /** Until the object is there. */
  blank: Form;
  formOf: (data: Data) => Form;
  /** Never kept. */
  secrets?: (keyof Form)[];
}

/** A form over an object of the server. What somebody typed stays when the object is loaded again. */
export function useEditForm<Data, Form extends FieldValues>({ query, blank, formOf, secrets }: EditForm<Data, Form>) {
  const { data, error, refetch } = query;
  const form = useForm<Form>({
    defaultValues: blank as DefaultValues<Form>,
    values: data === undefined ? undefined : formOf(data),
    resetOptions: { keepDirtyValues: true },
  });
  useDraft(form, { ready: data !== undefined, secrets });
  const load = { pending: !data, error: data ? undefined : error, retry: () => void refetch() };
  return { form, load };
}

/** Says so, and answers true, where a change names the object and nothing else. */
export function useNothingChanged() {
  const dispatch = useAppDispatch();
  return (change: object): boolean => {
    const isNothing = Object.keys(change).length === 1;
    if (isNothing) dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
    return isNothing;
  };
}
