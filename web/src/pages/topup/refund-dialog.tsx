import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { textLimits } from '@tollgate/contracts/text-limits';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useRefundTopUpMutation } from '../../api/top-up.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormSwitch, FormText } from '../../components/forms/form-fields.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { moneyOf } from './order-columns.js';

const names = { allow_negative: 'overdraw' } as const;

/** Takes back the quota of an order by a posting; the money must be returned at the provider. */
export function RefundDialog({ order, onClose }: { order: TopUpOrder; onClose: () => void }) {
  const { t } = useTranslation('topup');
  const dispatch = useAppDispatch();
  const scale = useQuotaScale();
  const form = useForm({ defaultValues: { reason: '', overdraw: false } });
  const { control, handleSubmit } = form;
  const [refund, { isLoading, error }] = useRefundTopUpMutation();
  const { unsure } = useDraft(form, { id: `refund-${order.id}`, failure: error });
  const refusal = useRefusedFields(form, error, names);
  const submit = handleSubmit(async ({ reason, overdraw }) => {
    const reply = await refund({ id: order.id, reason: reason.trim(), allow_negative: overdraw });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'topup:refund.done' }));
    onClose();
  });
  return (
    <FormDialog
      title={t('refund.title', { no: order.trade_no })}
      submitLabel={t('refund.run')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <UnsureNote unsure={unsure} list="/topup?orders=all" />
      <div>{t('refund.body', { quota: formatQuota(order.quota, scale), money: moneyOf(order, t) })}</div>
      <FormText
        control={control}
        name="reason"
        label={t('refund.reason')}
        check={(text) => (text.trim() === '' ? t('refund.reason') : undefined)}
        limit={textLimits.reason}
        autoFocus
        autoComplete="off"
      />
      <FormSwitch control={control} name="overdraw" label={t('refund.overdraw')} />
    </FormDialog>
  );
}
