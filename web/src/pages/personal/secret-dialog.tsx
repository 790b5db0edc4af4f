import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../app/save-file.js';
import { Callout } from '../../components/feedback/callout.js';
import { CopyButton } from '../../components/texts/copy-button.js';

interface SecretDialogProps {
  /** Of the heading, which names the dialog. */
  id: string;
  title: string;
  warning: string;
  /** What is copied and saved. */
  text: string;
  fileName: string;
  size: 'xs' | 'sm';
  onClose: () => void;
  /** How the secret is shown. */
  children: ReactNode;
}

/** Shows a secret that is never shown again. A click beside the dialog does not close it. */
export function SecretDialog({ id, title, warning, text, fileName, size, onClose, children }: SecretDialogProps) {
  const { t } = useTranslation('personal');
  return (
    <Dialog open fullWidth maxWidth={size} aria-labelledby={id} aria-describedby={`${id}-warning`}>
      <DialogTitle id={id} variant="h6">
        {title}
      </DialogTitle>
      <DialogContent>
        <Callout severity="warning" sx={{ mb: 1.5 }}>
          <span id={`${id}-warning`}>{warning}</span>
        </Callout>
        <Box
          sx={{ display: 'flex', alignItems: 'flex-start', bgcolor: 'background.sunken', borderRadius: '6px', p: 1.5 }}
        >
          {children}
          <CopyButton text={text} />
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => saveFile(fileName, `${text}\n`, 'text/plain')}>{t('security.download')}</Button>
        <Button variant="contained" onClick={onClose}>
          {t('security.kept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
