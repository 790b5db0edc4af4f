import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import { useTranslation } from 'react-i18next';
import { formatUnits } from '../../components/money/quota-format.js';

export function RatioHelp({ quotaPerUnit, onClose }: { quotaPerUnit: number; onClose: () => void }) {
  const { t } = useTranslation('pricing');
  const values = { unit: formatUnits(quotaPerUnit), price: Number((1_000_000 / quotaPerUnit).toFixed(6)) };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="ratio-help">
      <DialogTitle id="ratio-help" variant="h6">
        {t('help.title')}
      </DialogTitle>
      <DialogContent>
        <Stack spacing={1.5}>
          <div>{t('help.model', values)}</div>
          <div>{t('help.completion')}</div>
          <div>{t('help.group')}</div>
          <div>{t('help.call')}</div>
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
