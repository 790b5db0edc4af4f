import type { i18n } from 'i18next';
import { knownKey } from '../../app/i18n/text-keys.js';

/** A failed call, with the message and code of the reply; `status` is the HTTP status of the reply. */
export class ChatError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: { requestId?: string; code?: string; type?: string } = {},
  ) {
    super(message);
  }
}

/**
 * Codes and types of errors that the relay itself writes. Any other error of a provider carries the provider's own
 * message.
 */
const OWN_CODES = ['upstream_cut', 'upstream_timeout', 'do_request_failed'];
const OWN_TYPES = ['new_api_error', 'invalid_request_error', undefined];
const LONGEST_QUOTE = 300;
const HAN = /[\u3400-\u9fff]/;

const shorten = (text: string): string => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/**
 * Describes an error to the reader. The request id is shown below the answer, so it is removed from the message; the
 * message of a provider is quoted.
 */
export function describeChatError({ message, details: { code, type } }: ChatError, texts: i18n): string {
  const text = message.replace(/\s*\(request id: [^)]*\)\s*$/, '');
  const isOwn = OWN_TYPES.includes(type) || OWN_CODES.includes(code ?? '');
  if (!isOwn) return texts.t('playground:state.upstream', { text: shorten(text) });
  // The server has more codes than the dictionaries have texts, so this key may not exist.
  const key: string = `playground:refused.${code ?? ''}`;
  const isSaidAlready = texts.language === 'zh' && HAN.test(text);
  return isSaidAlready || !code || !texts.exists(key) ? text : texts.t(knownKey(key));
}
