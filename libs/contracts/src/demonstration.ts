/**
 * Address of the built-in demonstration provider. It does not exist in any network: the calling process connects to itself instead.
 * `.internal` is reserved for private use.
 */
export const DEMONSTRATION_HOST = 'demonstration.tollgate.internal';
export const DEMONSTRATION_URL = `http://${DEMONSTRATION_HOST}`;

/** The models it serves; both have a price in a new installation. */
export const demonstrationModels = ['gpt-4o-mini', 'text-embedding-3-small'] as const;
