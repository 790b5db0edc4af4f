/** What a version of a model is told apart by: `-2024-08-06`, `-20250514`, `-latest`. */
const VERSION = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/;
const PLACE = /^(?:models|publishers\/[^/]+\/models)\//;

/**
 * A model as invoices and channels both know it: providers bill the dated version, and calls ask for the name without. So all versions of a
 * model are one.
 */
export const modelKey = (name: string): string => name.trim().toLowerCase().replace(PLACE, '').replace(VERSION, '');
