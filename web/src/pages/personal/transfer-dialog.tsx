import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Field } from '../../components/forms/field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormText } from '../../components/forms/form-fields.js';
import { parseUnits } from '../../components/money/quota-field.js';
import { formatQuota, formatUnits } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { useTransferAffMutation } from '../../api/self.api.js';

const names = { quota: 'amount' } as const;

/** Transfers rewards to the balance; the least amount is one unit of the currency. */
export function TransferDialog({ available, onClose }: { available: number; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const scale = useQuotaScale();
  const least = Math.ceil(scale.perUnit);
  const form = useForm({ defaultValues: { amount: String(least) } });
  const { control, handleSubmit, watch } = form;
  const [transfer, { isLoading, error }] = useTransferAffMutation();
  const { unsure } = useDraft(form, { id: 'transfer', failure: error });
  const refusal = useRefusedFields(form, error, names);
  const money = (units: number) => `${formatUnits(units)} (${formatQuota(units, scale)})`;
  const check = (text: string): string | undefined => {
    const units = parseUnits(text);
    if (units === undefined) return t('invite.notWhole');
    if (units < least) return t('invite.below', { least: money(least) });
    return units > available ? t('invite.above', { available: money(available) }) : undefined;
  };
  const submit = handleSubmit(async ({ amount }) => {
    const reply = await transfer({ quota: Number(amount) });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:invite.done' }));
    onClose();
  });
  const typed = parseUnits(watch('amount'));
  return (
    <FormDialog
      title={t('invite.dialog')}
      submitLabel={t('invite.transfer')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <UnsureNote unsure={unsure} list="/personal" />
      <Field label={t('invite.available')} value={money(available)} readOnly />
      <FormText
        control={control}
        name="amount"
        label={t('invite.amount', { least: formatQuota(least, scale) })}
        check={check}
        inputMode="numeric"
        autoFocus
        helperText={typed === undefined ? undefined : t('form.equivalent', { amount: formatQuota(typed, scale) })}
      />
    </FormDialog>
  );
}
