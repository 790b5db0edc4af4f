import type { PasskeyOptions } from '../../api/factor.api.js';

/** Loaded when somebody asks for a passkey: no page pays for it before. */
const library = () => import('@simplewebauthn/browser');

/** Somebody closed the browser's question, or let it wait too long: no error to speak of. */
export const wasGivenUp = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** The browser offers passkeys on addresses with TLS, and on this very machine. */
export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window;

export async function makePasskey(options: PasskeyOptions) {
  const { startRegistration } = await library();
  return startRegistration({ optionsJSON: options as never });
}

export async function askForPasskey(options: PasskeyOptions) {
  const { startAuthentication } = await library();
  return startAuthentication({ optionsJSON: options as never });
}
