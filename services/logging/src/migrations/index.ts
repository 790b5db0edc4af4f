import { Migration20261121032000_create_logging } from './Migration20261121032000_create_logging.js';

/** In the order they run. */
export const migrations = [Migration20261121032000_create_logging];
