import { type ClientError, errorBody, objectOf } from '@tollgate/providers';

/** An error as the client of a session reads it. */
export function errorEvent(error: ClientError, requestId: string): string {
  const { error: told } = errorBody('openai', error, requestId);
  const { type, message, code, param } = objectOf(told);
  return JSON.stringify({ type: 'error', event_id: `evt_${requestId}`, error: { type, message, code, param } });
}
