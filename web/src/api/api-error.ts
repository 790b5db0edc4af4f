import type { ErrorReply } from '@tollgate/contracts/envelope';
import i18n from 'i18next';

/** A field of a request that the server refused, with the reason. */
type RefusedField = NonNullable<ErrorReply['fields']>[number];

/** Any failed call, refused by the server or lost in the network. `status` 0: no reply. */
export interface ApiError extends Partial<Pick<ErrorReply, 'code' | 'kind' | 'params' | 'fields'>> {
  status: number;
  message: string;
  requestId?: string;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
}

export const isApiError = (value: unknown): value is ApiError =>
  typeof value === 'object' && value !== null && 'status' in value && 'message' in value;

/** The same failure with a message of the caller, who knows what the call was for. */
export const inWords = (message: string, error: unknown): ApiError => ({
  status: 200,
  message,
  requestId: isApiError(error) ? error.requestId : undefined,
});

/** Texts that the requirements fix for a status. */
const BY_STATUS: Record<number, string> = { 405: 'errors.http405', 429: 'errors.http429', 500: 'errors.http500' };
/** Codes that say no more than the status; any other code names a cause. */
const GENERAL = new Set<unknown>(['internal', 'too-many-requests', 'too-many-attempts']);

/** Keys of error texts are composed from the server's codes, which the typed `t` does not accept. */
const say = i18n.t as unknown as (key: string, values?: object) => string;

/**
 * The text for a failure: the dictionary's text for its code, or else the server's message. The Chinese dictionary has only the few texts
 * that are better than the message, which is Chinese.
 */
export function describeError(error: unknown): string {
  if (!isApiError(error)) return String(error);
  const { status, code, message, params } = error;
  const fixed = code === undefined || GENERAL.has(code) ? BY_STATUS[status] : undefined;
  if (fixed) return say(fixed);
  if (status === 0) return i18n.t('errors.network');
  if (code && i18n.exists(`errors:${code}`)) return say(`errors:${code}`, { ...params });
  return status === 200 || code !== undefined ? message : i18n.t('errors.other', { message });
}

/** What is wrong with one field. A code that is not the error's own comes with its reason in Chinese. */
export function describeField(error: ApiError, { code, params }: RefusedField): string {
  if (code === error.code) return describeError(error);
  if (i18n.language === 'zh' && typeof params?.reason === 'string') return params.reason;
  return i18n.exists(`errors:${code}`) ? say(`errors:${code}`, { ...params }) : i18n.t('form.notAccepted');
}
