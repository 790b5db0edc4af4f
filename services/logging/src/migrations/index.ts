import { Migration20261121032000_create_logging } from './Migration20261121032000_create_logging.js';
import { Migration20261121060000_add_logged_quota } from './Migration20261121060000_add_logged_quota.js';

/** In the order they run. */
export const migrations = [Migration20261121032000_create_logging, Migration20261121060000_add_logged_quota];
