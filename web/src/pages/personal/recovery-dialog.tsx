import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { SecretDialog } from './secret-dialog.js';

/** Shows recovery codes. */
export function RecoveryDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('personal');
  return (
    <SecretDialog
      id="recovery-codes"
      title={t('factors.codesTitle')}
      warning={t('factors.codesWarning')}
      text={codes.join('\n')}
      fileName="recovery-codes.txt"
      size="xs"
      onClose={onClose}
    >
      <Box
        component="ul"
        sx={{ typography: 'mono', flex: 1, columns: 2, listStyle: 'none', m: 0, p: 0, lineHeight: 1.9 }}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </Box>
    </SecretDialog>
  );
}
