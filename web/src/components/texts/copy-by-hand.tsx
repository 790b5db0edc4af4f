import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';

export function CopyByHand({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation();
  const title = t('copy.failedTitle');
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="copy-by-hand">
      <DialogTitle id="copy-by-hand">{title}</DialogTitle>
      <DialogContent>
        <TextField
          multiline
          maxRows={12}
          value={text}
          autoFocus
          onFocus={(event) => event.target.select()}
          slotProps={{ htmlInput: { readOnly: true, 'aria-label': title, spellCheck: false } }}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
