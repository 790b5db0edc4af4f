import type { PasskeyOptions } from '../../api/factor.api.js';

/** Loaded when a passkey is first used, not with the page. */
const library = () => import('@simplewebauthn/browser');

/** The user closed the browser's dialog or let it time out, which is not shown as an error. */
export const wasGivenUp = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

/** Browsers offer passkeys only on addresses with TLS and on localhost. */
export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window;

export async function makePasskey(options: PasskeyOptions) {
  const { startRegistration } = await library();
  return startRegistration({ optionsJSON: options as never });
}

export async function askForPasskey(options: PasskeyOptions) {
  const { startAuthentication } = await library();
  return startAuthentication({ optionsJSON: options as never });
}
