/**
 * The provider for demonstrations that comes with the product has this address, which no network knows: the process that calls it leads
 * the call to itself. `.internal` is kept for private use.
 */
export const DEMONSTRATION_HOST = 'demonstration.tollgate.internal';
export const DEMONSTRATION_URL = `http://${DEMONSTRATION_HOST}`;

/** What it serves; both have a price in a new installation. */
export const demonstrationModels = ['gpt-4o-mini', 'text-embedding-3-small'] as const;
