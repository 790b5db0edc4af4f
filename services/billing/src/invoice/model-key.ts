/** The suffix that identifies a version of a model: `-2024-08-06`, `-20250514`, `-latest`. */
const VERSION = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/;
const PLACE = /^(?:models|publishers\/[^/]+\/models)\//;

/**
 * A model's name without its version. Providers bill the dated version, while calls often use the undated name, so all
 * versions of a model are treated as one.
 */
export const modelKey = (name: string): string => name.trim().toLowerCase().replace(PLACE, '').replace(VERSION, '');
