import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { SessionUser } from '@tollgate/contracts/api/user';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { useLoginByWechatMutation } from '../../api/session.api.js';
import { Refusal } from '../../components/refusal.js';

interface WechatDialogProps {
  onClose: () => void;
  onSignedIn: (user: SessionUser) => void;
}

export function WechatDialog({ onClose, onSignedIn }: WechatDialogProps) {
  const { t } = useTranslation('login');
  const { wechat_qrcode: qrcode } = useAppSelector(selectStatus);
  const [code, setCode] = useState('');
  const [login, { isLoading, error }] = useLoginByWechatMutation();
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const reply = await login(code.trim());
    if (reply.data) onSignedIn(reply.data);
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
            {error && <Refusal error={error} sx={{ width: '100%' }} />}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" loading={isLoading}>
            {t('submit')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
