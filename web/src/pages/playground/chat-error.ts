import type { i18n } from 'i18next';
import { knownKey } from '../../app/i18n/text-keys.js';

/** The failure of a call, in the words and with the code that came; `status` is that of the reply. */
export class ChatError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: { requestId?: string; code?: string; type?: string } = {},
  ) {
    super(message);
  }
}

/** What the relay says itself when a provider fails; everything else about providers is in the words of the provider. */
const OWN_CODES = ['upstream_cut', 'do_request_failed'];
const OWN_TYPES = ['new_api_error', 'invalid_request_error', undefined];
const LONGEST_QUOTE = 300;
const HAN = /[\u3400-\u9fff]/;

const shorten = (text: string): string => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/** A sentence for the reader. The id stands below the answer, so it is left out; a provider's words are quoted as such. */
export function describeChatError({ message, details: { code, type } }: ChatError, texts: i18n): string {
  const text = message.replace(/\s*\(request id: [^)]*\)\s*$/, '');
  const isOwn = OWN_TYPES.includes(type) || OWN_CODES.includes(code ?? '');
  if (!isOwn) return texts.t('playground:state.upstream', { text: shorten(text) });
  // The server's codes are more than we have words for.
  const key: string = `playground:refused.${code ?? ''}`;
  const isSaidAlready = texts.language === 'zh' && HAN.test(text);
  return isSaidAlready || !code || !texts.exists(key) ? text : texts.t(knownKey(key));
}
