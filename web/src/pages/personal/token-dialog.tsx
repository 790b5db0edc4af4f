import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { SecretDialog } from './secret-dialog.js';

/** Shows a token. */
export function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation('personal');
  return (
    <SecretDialog
      id="access-token"
      title={t('security.tokenShown')}
      warning={t('security.tokenWarning')}
      text={token}
      fileName="system-access-token.txt"
      size="sm"
      onClose={onClose}
    >
      <Box
        component="code"
        sx={{ typography: 'mono', flex: 1, minWidth: 0, alignSelf: 'center', overflowWrap: 'anywhere' }}
      >
        {token}
      </Box>
    </SecretDialog>
  );
}
