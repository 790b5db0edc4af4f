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

/** Shows a token, which is never shown again. A click beside the dialog does not close it. */
export function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation('personal');
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby="access-token">
      <DialogTitle id="access-token" variant="h6">
        {t('security.tokenShown')}
      </DialogTitle>
      <DialogContent>
        <Callout severity="warning" sx={{ mb: 1.5 }}>
          {t('security.tokenWarning')}
        </Callout>
        <Box
          sx={{
            display: 'flex',
            alignItems: 'center',
            bgcolor: 'background.sunken',
            borderRadius: '6px',
            px: 1.5,
            py: 1,
          }}
        >
          <Box component="code" sx={{ typography: 'mono', flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
            {token}
          </Box>
          <CopyButton text={token} />
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => saveFile('system-access-token.txt', `${token}\n`, 'text/plain')}>
          {t('security.download')}
        </Button>
        <Button variant="contained" onClick={onClose}>
          {t('security.kept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
