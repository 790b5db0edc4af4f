import type { SxProps } from '@mui/material/styles';
import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { describeError, isApiError } from '../api/api-error.js';
import { Callout } from './callout.js';
import { CopyButton } from './copy-button.js';

interface RefusalProps {
  error: unknown;
  /** When the server gave no reason. */
  fallback?: string;
  sx?: SxProps;
}

/** Why something was not done, said at once, with the id under which the server's log knows more. */
export function Refusal({ error, fallback = '', sx }: RefusalProps) {
  const { t } = useTranslation();
  const requestId = isApiError(error) ? error.requestId : undefined;
  return (
    <Callout severity="error" role="alert" sx={sx}>
      {describeError(error) || fallback}
      {requestId && (
        <Box component="span" sx={{ display: 'block', color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {t('state.requestId', { id: requestId })} <CopyButton text={requestId} />
        </Box>
      )}
    </Callout>
  );
}
