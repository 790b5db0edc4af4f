import type { SxProps } from '@mui/material/styles';
import { describeError, isApiError } from '../../api/api-error.js';
import { Callout } from './callout.js';
import { RequestId } from './request-id.js';

interface RefusalProps {
  error: unknown;
  /** Text for an error without a reason. */
  fallback?: string;
  sx?: SxProps;
}

/** Why an action failed, announced at once, with the request id by which the server's log has details. */
export function Refusal({ error, fallback = '', sx }: RefusalProps) {
  return (
    <Callout severity="error" role="alert" sx={sx}>
      {describeError(error) || fallback}
      <RequestId id={isApiError(error) ? error.requestId : undefined} />
    </Callout>
  );
}
