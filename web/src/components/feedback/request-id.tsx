import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../texts/copy-button.js';

interface RequestIdProps {
  id: string | undefined;
  /** Text to copy; only the id if absent. */
  copied?: string;
}

/** The id of a refused request, by which it is found in the server's log, with a button to copy it. */
export function RequestId({ id, copied = id }: RequestIdProps) {
  const { t } = useTranslation();
  if (!id || !copied) return null;
  return (
    <Box
      component="span"
      sx={{ display: 'flex', alignItems: 'center', gap: 0.5, typography: 'caption', color: 'text.secondary' }}
    >
      <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {t('state.requestId', { id })}
      </Box>
      <CopyButton text={copied} label={t('state.copyRequestId')} />
    </Box>
  );
}
