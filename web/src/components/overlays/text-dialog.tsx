import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../texts/copy-button.js';

interface TextDialogProps {
  title: string;
  text: string;
  /** Monospaced, for code and records. */
  mono?: boolean;
  onClose: () => void;
}

/** Shows the whole of a text that a cell had no room for, with a copy button. */
export function TextDialog({ title, text, mono = false, onClose }: TextDialogProps) {
  const { t } = useTranslation();
  const { copy, dialog } = useCopy();
  return (
    <>
      <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="text-title">
        <DialogTitle id="text-title" variant="h6">
          {title}
        </DialogTitle>
        <DialogContent>
          <Box
            component={mono ? 'pre' : 'div'}
            tabIndex={0}
            lang=""
            sx={{
              m: 0,
              maxHeight: 400,
              overflow: 'auto',
              whiteSpace: 'pre-wrap',
              overflowWrap: 'anywhere',
              ...(mono && { typography: 'mono' }),
            }}
          >
            {text}
          </Box>
        </DialogContent>
        <DialogActions>
          <Button onClick={() => void copy(text, { key: 'copy.done' })}>{t('action.copy')}</Button>
          <Button variant="contained" onClick={onClose}>
            {t('action.close')}
          </Button>
        </DialogActions>
      </Dialog>
      {dialog}
    </>
  );
}
