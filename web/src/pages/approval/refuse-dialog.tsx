import { textLimits } from '@tollgate/contracts/text-limits';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useDecideApprovalMutation } from '../../api/approval.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormText } from '../../components/forms/form-fields.js';

export function RefuseDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('approval');
  const dispatch = useAppDispatch();
  const form = useForm({ defaultValues: { note: '' } });
  const { control, handleSubmit } = form;
  useDraft(form, { id: `refuse-${id}` });
  const [decide, { isLoading, error }] = useDecideApprovalMutation();
  const refusal = useRefusedFields(form, error);
  const submit = handleSubmit(async ({ note }) => {
    const reply = await decide({ id, verdict: 'refuse', note: note.trim() });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'approval:done.refuse' }));
    onClose();
  });
  return (
    <FormDialog
      title={t('refuseTitle', { id })}
      submitLabel={t('refuse')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormText
        control={control}
        name="note"
        label={t('note')}
        check={(text) => (text.trim() === '' ? t('noNote') : undefined)}
        limit={textLimits.reason}
        autoFocus
        autoComplete="off"
      />
    </FormDialog>
  );
}
