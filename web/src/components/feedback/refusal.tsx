import type { SxProps } from '@mui/material/styles';
import { describeError, isApiError } from '../../api/api-error.js';
import { Callout } from './callout.js';
import { RequestId } from './request-id.js';

interface RefusalProps {
  error: unknown;
  /** When the server gave no reason. */
  fallback?: string;
  sx?: SxProps;
}

/** Why something was not done, said at once, with the id under which the server's log knows more. */
export function Refusal({ error, fallback = '', sx }: RefusalProps) {
  return (
    <Callout severity="error" role="alert" sx={sx}>
      {describeError(error) || fallback}
      <RequestId id={isApiError(error) ? error.requestId : undefined} />
    </Callout>
  );
}
