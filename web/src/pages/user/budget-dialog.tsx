import type { TokenBudget } from '@tollgate/contracts/api/journal';
import { textLimits } from '@tollgate/contracts/text-limits';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useChangeTokenBudgetMutation } from '../../api/journal.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormText } from '../../components/forms/form-fields.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { useSubmissionKey } from '../../components/forms/use-submission-key.js';
import { parseDelta } from './user-form.js';

/**
 * Changes the budget of a token by a signed difference with a reason, so that quota spent meanwhile is not overwritten.
 */
export function BudgetDialog({ token, onClose }: { token: TokenBudget; onClose: () => void }) {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const scale = useQuotaScale();
  const keyOf = useSubmissionKey(`budget-${token.id}`);
  const form = useForm({ defaultValues: { delta: '', reason: '' } });
  const { control, handleSubmit } = form;
  useDraft(form, { id: `budget-${token.id}` });
  const [change, { isLoading, error }] = useChangeTokenBudgetMutation();
  const refusal = useRefusedFields(form, error);
  const delta = parseDelta(useWatch({ control, name: 'delta' })) ?? 0;
  const submit = handleSubmit(async (typed) => {
    const body = { delta: parseDelta(typed.delta) ?? 0, reason: typed.reason.trim() };
    const reply = await change({ id: token.id, change: body, key: keyOf(body) });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'user:money.changed' }));
    onClose();
  });
  const left = token.remain_quota;
  return (
    <FormDialog
      title={t('money.changeOf', { name: token.name })}
      submitLabel={t('money.change')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <div role="status">
        {t('quota.sum', {
          old: formatQuota(left, scale),
          change: formatQuota(delta, scale, { signed: true }),
          next: formatQuota(left + delta, scale),
        })}
      </div>
      <FormText
        control={control}
        name="delta"
        label={t('quota.delta')}
        placeholder="0"
        check={(text) => (parseDelta(text) ? undefined : t('quota.bad'))}
        autoFocus
        autoComplete="off"
      />
      <FormText
        control={control}
        name="reason"
        label={t('quota.reason')}
        check={(text) => (text.trim() === '' ? t('quota.noReason') : undefined)}
        limit={textLimits.reason}
        autoComplete="off"
      />
    </FormDialog>
  );
}
