import { Migration20251121090000_create_identity } from './Migration20251121090000_create_identity.js';

/** In the order they run. */
export const migrations = [Migration20251121090000_create_identity];
