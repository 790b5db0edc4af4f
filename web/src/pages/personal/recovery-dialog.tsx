import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../app/save-file.js';
import { Callout } from '../../components/feedback/callout.js';
import { CopyButton } from '../../components/texts/copy-button.js';

/** Shows recovery codes, which are never shown again. A click beside the dialog does not close it. */
export function RecoveryDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const text = codes.join('\n');
  return (
    <Dialog open fullWidth maxWidth="xs" aria-labelledby="recovery-codes">
      <DialogTitle id="recovery-codes" variant="h6">
        {t('factors.codesTitle')}
      </DialogTitle>
      <DialogContent>
        <Callout severity="warning" sx={{ mb: 1.5 }}>
          {t('factors.codesWarning')}
        </Callout>
        <Box
          sx={{ display: 'flex', alignItems: 'flex-start', bgcolor: 'background.sunken', borderRadius: '6px', p: 1.5 }}
        >
          <Box
            component="ul"
            sx={{ typography: 'mono', flex: 1, columns: 2, listStyle: 'none', m: 0, p: 0, lineHeight: 1.9 }}
          >
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </Box>
          <CopyButton text={text} />
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => saveFile('recovery-codes.txt', `${text}\n`, 'text/plain')}>
          {t('security.download')}
        </Button>
        <Button variant="contained" onClick={onClose}>
          {t('security.kept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
