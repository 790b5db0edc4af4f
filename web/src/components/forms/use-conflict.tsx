import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { describeError, isApiError } from '../../api/api-error.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Callout } from '../feedback/callout.js';
import { RequestId } from '../feedback/request-id.js';
import type { Edit } from './use-edit-form.js';

/** Longest value shown in full, in characters; a longer list can be read in its field. */
const MOST_SHOWN = 200;

/** Whether the server refused a save because somebody else has changed the same fields meanwhile. */
export const isConflict = (error: unknown): boolean =>
  isApiError(error) && error.kind === 'conflict' && error.code?.endsWith('-changed-meanwhile') === true;

interface ConflictProps<Form extends FieldValues> {
  edit: Edit<Form>;
  /** Labels of the fields that users edit, in their order. */
  labels: Readonly<Record<string, string>>;
  /** Error of the save. */
  error: unknown;
  reset: () => void;
  submit: () => unknown;
}

interface Theirs<Form> {
  form: Form;
  changed: { label: string; value: string }[];
}

/** Writes a value that somebody else stored: short, and legible where it is empty or a switch. */
export function useShown() {
  const { t } = useTranslation();
  return (value: unknown): string => {
    if (typeof value === 'boolean') return t(value ? 'status.enabled' : 'status.disabled');
    const text = Array.isArray(value) ? value.join(t('table.separator')) : String(value);
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text || t('conflict.empty');
  };
}

/**
 * Handles a save that would overwrite somebody else's changes: shows these changes and keeps the typed text; the user then takes over the
 * changes or overwrites them. `look` must be called after a failed save.
 */
export function useConflict<Form extends FieldValues>({ edit, labels, error, reset, submit }: ConflictProps<Form>) {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const shown = useShown();
  const [theirs, setTheirs] = useState<Theirs<Form>>();
  const look = async (refusal: unknown): Promise<void> => {
    setTheirs(undefined);
    if (!isConflict(refusal)) return;
    const { form, error: problem } = await edit.fresh();
    if (!form) {
      if (isApiError(problem)) dispatch(toastShown({ severity: 'error', error: problem }));
      return;
    }
    const seen = edit.seen();
    const differs = (name: string): boolean => JSON.stringify(form[name]) !== JSON.stringify(seen[name]);
    const changed = Object.entries(labels)
      .filter(([name]) => differs(name))
      .map(([name, label]) => ({ label, value: shown(form[name]) }));
    setTheirs({ form, changed });
  };
  const take = (form: Form, typed?: Partial<Form>) => {
    edit.show(form, typed);
    reset();
    setTheirs(undefined);
  };
  const overwrite = (form: Form) => {
    take(form, edit.typed());
    void submit();
  };
  const notice = isConflict(error) ? (
    <Callout severity="warning" role="alert">
      {describeError(error)}
      <RequestId id={isApiError(error) ? error.requestId : undefined} />
      {theirs && theirs.changed.length > 0 && (
        <ul style={{ margin: '4px 0', paddingInlineStart: 20 }}>
          {theirs.changed.map(({ label, value }) => (
            <li key={label}>{t('conflict.field', { label, value })}</li>
          ))}
        </ul>
      )}
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 1, mt: 1 }}>
        {theirs ? (
          <>
            <Button size="small" variant="outlined" onClick={() => take(theirs.form)}>
              {t('conflict.take')}
            </Button>
            <Button size="small" variant="outlined" color="error" onClick={() => overwrite(theirs.form)}>
              {t('conflict.overwrite')}
            </Button>
          </>
        ) : (
          <Button size="small" variant="outlined" onClick={() => void look(error)}>
            {t('conflict.look')}
          </Button>
        )}
      </Stack>
    </Callout>
  ) : undefined;
  return { look, notice };
}
