import { textLimits } from '@tollgate/contracts/text-limits';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useClosePeriodMutation } from '../../api/statement.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormText } from '../../components/forms/form-fields.js';
import { dayOf, isDay, shiftDay } from './days.js';

const names = { last_day: 'day' } as const;

/** Closes a period, which cannot be undone, so the day is typed twice. */
export function CloseDialog({ last, onClose }: { last: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('statement');
  const dispatch = useAppDispatch();
  const yesterday = shiftDay(dayOf(Date.now()), -1);
  const form = useForm({ defaultValues: { day: '', again: '', note: '' } });
  const { control, handleSubmit, getValues } = form;
  // The repeated day is not kept in the draft: a restored value would not confirm anything.
  useDraft(form, { id: 'close', secrets: ['again'] });
  const [close, { isLoading, error }] = useClosePeriodMutation();
  const refusal = useRefusedFields(form, error, names);
  const submit = handleSubmit(async ({ day, note }) => {
    const reply = await close({ last_day: day.trim(), note: note.trim() });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'statement:periods.done' }));
    onClose();
  });
  const check = (day: string) => {
    if (!isDay(day.trim())) return t('badDay');
    if (day.trim() > yesterday) return t('periods.notOver');
    return last !== undefined && day.trim() <= last ? t('periods.already', { day: last }) : undefined;
  };
  return (
    <FormDialog
      title={t('periods.close')}
      submitLabel={t('periods.close')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <div>{t('periods.consequence')}</div>
      <FormText
        control={control}
        name="day"
        label={t('periods.day')}
        placeholder={yesterday}
        check={check}
        autoFocus
        autoComplete="off"
      />
      <FormText
        control={control}
        name="again"
        label={t('periods.again')}
        check={(again) => (again.trim() === getValues('day').trim() ? undefined : t('periods.notSame'))}
        autoComplete="off"
      />
      <FormText
        control={control}
        name="note"
        label={t('periods.note')}
        check={() => undefined}
        limit={textLimits.reason}
        autoComplete="off"
      />
    </FormDialog>
  );
}
