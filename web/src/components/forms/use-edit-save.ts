import type { FieldPath, FieldValues } from 'react-hook-form';
import type { FieldNames } from './refused-fields.js';
import { useConflict } from './use-conflict.js';
import { type useEditForm, useNothingChanged } from './use-edit-form.js';
import { useRefusedFields } from './use-refused-fields.js';

interface EditSave<Form extends FieldValues, Change extends object> {
  edit: ReturnType<typeof useEditForm<unknown, Form>>;
  /** What to send: the id of the object and what differs from the values seen. */
  changeOf: (form: Form, seen: Form) => Change;
  update: (change: Change) => PromiseLike<{ error?: unknown }>;
  /** State of the update. */
  state: { isLoading: boolean; error?: unknown; reset: () => void };
  /** Labels of the fields that users edit, in their order. */
  labels: Readonly<Record<string, string>>;
  /** The fields that the server names differently; a constant outside of components. */
  names?: FieldNames<FieldPath<Form>>;
  onSaved: () => void;
}

/**
 * Saves what the user changed of an object, and shows why that failed: a refusal at its fields, or the changes that
 * somebody else made meanwhile. Returns the state of the drawer with the form.
 */
export function useEditSave<Form extends FieldValues, Change extends object>({
  edit,
  changeOf,
  update,
  state: { isLoading, error, reset },
  labels,
  names,
  onSaved,
}: EditSave<Form, Change>) {
  const isNothing = useNothingChanged();
  const refusal = useRefusedFields(edit.form, error, names);
  const submit = edit.form.handleSubmit(async (form): Promise<void> => {
    const change = changeOf(form, edit.seen());
    if (isNothing(change)) return;
    const reply = await update(change);
    if (reply.error) return conflict.look(reply.error);
    onSaved();
  });
  const conflict = useConflict({ edit, labels, error, reset, submit });
  return {
    onSubmit: submit,
    dirty: edit.form.formState.isDirty,
    busy: isLoading,
    error: refusal,
    notice: conflict.notice,
    load: edit.load,
  };
}
