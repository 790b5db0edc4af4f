import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Box from '@mui/material/Box';
import type { Channel } from '@tollgate/contracts/api/channel';
import { useTranslation } from 'react-i18next';
import { Callout } from '../../components/feedback/callout.js';
import { TimeText } from '../../components/texts/time-text.js';
import { otherInfoOf, statusOf } from './channel-facts.js';

interface WhyDialogProps {
  channel: Channel;
  onTest: () => void;
  onEnable: () => void;
  onDisable: () => void;
  onHealth: () => void;
  onClose: () => void;
}

/** Why a channel is disabled or suspected, and what can be done about it. */
export function WhyDialog({ channel, onTest, onEnable, onDisable, onHealth, onClose }: WhyDialogProps) {
  const { t } = useTranslation('channel');
  const isSuspect = statusOf(channel) === 'suspect';
  const { status_reason: reason, status_time: at } = otherInfoOf(channel);
  const then = (act: () => void) => () => {
    act();
    onClose();
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="why-title">
      <DialogTitle id="why-title" variant="h6">
        {t(isSuspect ? 'why.suspect' : 'why.title', { name: channel.name })}
      </DialogTitle>
      <DialogContent>
        <Callout severity="warning" title={t('why.reason')}>
          {reason ?? t('why.unknown')}
        </Callout>
        <Box sx={{ mt: 1.5, color: 'text.secondary' }}>
          {t('why.at')} {at ? <TimeText at={at} /> : '—'}
        </Box>
        <Box sx={{ mt: 1 }}>{t(isSuspect ? 'why.suspectNext' : 'why.next')}</Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
        <Button onClick={then(onHealth)}>{t('health.timeline')}</Button>
        <Button onClick={then(onTest)} variant="outlined">
          {t('test.one')}
        </Button>
        {isSuspect ? (
          <Button onClick={then(onDisable)} variant="outlined">
            {t('action.disable')}
          </Button>
        ) : (
          <Button onClick={then(onEnable)} variant="contained">
            {t('action.enable')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
