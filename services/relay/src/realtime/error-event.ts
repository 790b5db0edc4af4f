import { type ClientError, errorBody, objectOf } from '@tollgate/providers';

/** An error event in the format of the realtime API. */
export function errorEvent(error: ClientError, requestId: string): string {
  const { error: told } = errorBody('openai', error, requestId);
  const { type, message, code, param } = objectOf(told);
  return JSON.stringify({ type: 'error', event_id: `evt_${requestId}`, error: { type, message, code, param } });
}
