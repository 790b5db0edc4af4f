import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { usageModes } from './setup-form.js';

export function ModeHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('setup');
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="mode-help-title">
      <DialogTitle id="mode-help-title">{t('mode.help')}</DialogTitle>
      <DialogContent>
        {usageModes.map((mode) => (
          <div key={mode}>
            <Typography variant="subtitle1" component="h3">
              {t(`mode.${mode}.name`)}
            </Typography>
            <Typography sx={{ color: 'text.secondary', mb: 2 }}>{t(`mode.${mode}.explanation`)}</Typography>
          </div>
        ))}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
