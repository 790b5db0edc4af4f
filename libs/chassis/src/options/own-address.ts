import type { OptionStore } from './option-store.js';

/**
 * The address of this installation, without a slash at its end: the option `ServerAddress`, or while that is empty, where this
 * process listens. Never the host name of a request, which an attacker can choose.
 */
export const ownAddress = (options: Pick<OptionStore, 'get' | 'text'>, { address }: { address: string }): string =>
  options.text('ServerAddress') === '' ? address : options.get('ServerAddress');
