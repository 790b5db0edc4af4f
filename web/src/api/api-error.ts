import type { ErrorReply } from '@tollgate/contracts/envelope';
import i18n from 'i18next';

/** One field of what was sent, and what is wrong with it. */
export type RefusedField = NonNullable<ErrorReply['fields']>[number];

/** Every failed call, whether refused by the server or lost on the way. `status` 0: no answer at all. */
export interface ApiError extends Partial<Pick<ErrorReply, 'code' | 'kind' | 'params' | 'fields'>> {
  status: number;
  message: string;
  requestId?: string;
  /** How long the server wishes to be left alone, when it says so. */
  retryAfterMs?: number;
}

export const isApiError = (value: unknown): value is ApiError =>
  typeof value === 'object' && value !== null && 'status' in value && 'message' in value;

/** The same failure as somebody who knows what it was for puts it. */
export const inWords = (message: string, error: unknown): ApiError => ({
  status: 200,
  message,
  requestId: isApiError(error) ? error.requestId : undefined,
});

const BY_STATUS: Record<number, string> = { 405: 'errors.http405', 429: 'errors.http429', 500: 'errors.http500' };

/** Codes come from the server, so their texts are asked for by name. */
const say = i18n.t as unknown as (key: string, values?: object) => string;

/** In Chinese the server's documented text, in English our own by code; status texts are fixed by the spec. */
export function describeError(error: unknown): string {
  if (!isApiError(error)) return String(error);
  const fixed = BY_STATUS[error.status];
  if (fixed) return say(fixed);
  if (error.status === 0) return i18n.t('errors.network');
  if (i18n.language !== 'zh' && error.code && i18n.exists(`errors:${error.code}`)) {
    return say(`errors:${error.code}`, { ...error.params });
  }
  const refused = error.status === 200 || error.code !== undefined;
  return refused ? error.message : i18n.t('errors.other', { message: error.message });
}

/** What is wrong with one field of what was sent. A schema gives its reason in Chinese only. */
export function describeField(error: ApiError, { code, params }: RefusedField): string {
  if (code === error.code) return describeError(error);
  if (i18n.language === 'zh' && typeof params?.reason === 'string') return params.reason;
  return i18n.exists(`errors:${code}`) ? say(`errors:${code}`, { ...params }) : i18n.t('form.notAccepted');
}
