import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useRedeemMutation } from '../../api/top-up.api.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Card } from '../../components/layout/card.js';
import { FormText } from '../../components/forms/form-fields.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { Refusal } from '../../components/feedback/refusal.js';

function DoneDialog({ quota, onClose }: { quota: number; onClose: () => void }) {
  const { t } = useTranslation('topup');
  const scale = useQuotaScale();
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="redeemed-title">
      <DialogTitle id="redeemed-title" variant="h6">
        {t('redeem.done')}
      </DialogTitle>
      <DialogContent>{t('redeem.amount', { quota: formatQuota(quota, scale) })}</DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose} autoFocus>
          {t('action.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const names = { key: 'code' } as const;

/** Redeems a code for balance. */
export function RedeemCard() {
  const { t } = useTranslation('topup');
  const dispatch = useAppDispatch();
  const { top_up_link: link = '' } = useAppSelector(selectStatus);
  const form = useForm({ defaultValues: { code: '' } });
  const { control, handleSubmit, getValues, reset } = form;
  const [redeem, { isLoading, error }] = useRedeemMutation();
  const refusal = useRefusedFields(form, error, names);
  const [added, setAdded] = useState<number>();
  const submit = handleSubmit(async ({ code }) => {
    const { data } = await redeem(code.trim());
    if (data === undefined) return;
    dispatch(toastShown({ severity: 'success', key: 'topup:redeem.done' }));
    setAdded(data);
    // Another code may have been typed during the call.
    if (getValues('code') === code) reset();
  });
  const missing = () => dispatch(toastShown({ severity: 'error', key: 'topup:redeem.noLink' }));
  return (
    <Card title={t('redeem.title')}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack spacing={2}>
          {refusal != null && <Refusal error={refusal} />}
          <FormText
            control={control}
            name="code"
            label={t('redeem.code')}
            check={(code) => (code.trim() === '' ? t('redeem.empty') : undefined)}
            autoComplete="off"
            spellCheck={false}
            mono
          />
          <Stack direction="row" spacing={1} sx={{ flexWrap: 'wrap', rowGap: 1 }}>
            <BusyButton type="submit" variant="contained" busy={isLoading} busyText={t('redeem.busy')}>
              {t('redeem.run')}
            </BusyButton>
            {link === '' ? (
              <Button onClick={missing}>{t('redeem.get')}</Button>
            ) : (
              <Button component="a" href={link} target="_blank" rel="noopener noreferrer">
                {t('redeem.get')}
              </Button>
            )}
          </Stack>
        </Stack>
      </form>
      {added !== undefined && <DoneDialog quota={added} onClose={() => setAdded(undefined)} />}
    </Card>
  );
}
