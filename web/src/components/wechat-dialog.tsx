import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../app/slices/status.js';
import { useAppSelector } from '../app/store.js';
import { Refusal } from './refusal.js';

interface WechatDialogProps {
  onClose: () => void;
  onCode: (code: string) => void;
  busy: boolean;
  error: unknown;
}

/** Shows the account to follow and takes the code that it tells. */
export function WechatDialog({ onClose, onCode, busy, error }: WechatDialogProps) {
  const { t } = useTranslation('login');
  const { wechat_qrcode: qrcode } = useAppSelector(selectStatus);
  const [code, setCode] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onCode(code.trim());
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="wechat-title">
      <form onSubmit={submit}>
        <DialogTitle id="wechat-title">{t('wechat.title')}</DialogTitle>
        <DialogContent>
          <Stack spacing={2} sx={{ alignItems: 'center' }}>
            {qrcode && (
              <Box component="img" src={qrcode} alt={t('wechat.qrcode')} sx={{ maxWidth: '100%', width: 220 }} />
            )}
            <Typography variant="body2">{t('wechat.hint')}</Typography>
            <TextField
              label={t('wechat.code')}
              value={code}
              onChange={(event) => setCode(event.target.value)}
              autoComplete="one-time-code"
              required
            />
            {error != null && <Refusal error={error} sx={{ width: '100%' }} />}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy}>
            {t('wechat.submit')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
