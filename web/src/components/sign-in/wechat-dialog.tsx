import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Field } from '../forms/field.js';
import { useRefusedInputs } from '../forms/use-refused-inputs.js';
import { FormDialog } from '../overlays/form-dialog.js';

interface WechatDialogProps {
  onClose: () => void;
  onCode: (code: string) => void;
  busy: boolean;
  error: unknown;
}

/** Shows the account to follow, and takes the code that this account sends. */
export function WechatDialog({ onClose, onCode, busy, error }: WechatDialogProps) {
  const { t } = useTranslation('login');
  const { wechat_qrcode: qrcode } = useAppSelector(selectStatus);
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const { field, rest } = useRefusedInputs(error, { code });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setMissing(code.trim() === '');
    if (code.trim() !== '') onCode(code.trim());
  };
  return (
    <FormDialog
      title={t('wechat.title')}
      submitLabel={t('wechat.submit')}
      busy={busy}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      {qrcode && (
        <Box
          component="img"
          src={qrcode}
          alt={t('wechat.qrcode')}
          sx={{
            ...{ width: 220, maxWidth: '100%', alignSelf: 'center', borderRadius: '6px' },
            // The alternative text, shown if the picture is missing, must be readable on white.
            ...{ bgcolor: 'common.white', color: 'common.black' },
          }}
        />
      )}
      <Typography variant="body2">{t('wechat.hint')}</Typography>
      <Field
        label={t('wechat.code')}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="one-time-code"
        autoFocus
        {...field('code', missing ? t('step.missing') : undefined)}
      />
    </FormDialog>
  );
}
