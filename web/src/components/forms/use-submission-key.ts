import { useRef } from 'react';

const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('');

/**
 * The `Idempotency-Key` of a submission: the same when the user presses the button again after a lost reply, another one as soon as the
 * content differs. (`randomUUID` is missing on pages without TLS.)
 */
export function useSubmissionKey(): (body: object) => string {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: randomKey() };
    return last.current.key;
  };
}
