import { Migration20251121090000_create_identity } from './Migration20251121090000_create_identity.js';
import { Migration20261122183000_fold_username_keys } from './Migration20261122183000_fold_username_keys.js';
import { Migration20261122201000_deliveries } from './Migration20261122201000_deliveries.js';
import { Migration20261122211000_sign_ins } from './Migration20261122211000_sign_ins.js';
import { Migration20261122234000_second_factors } from './Migration20261122234000_second_factors.js';
import { Migration20261123013000_hash_keys } from './Migration20261123013000_hash_keys.js';
import { Migration20261123041000_erase_users } from './Migration20261123041000_erase_users.js';

/** In the order in which they run. */
export const migrations = [
  Migration20251121090000_create_identity,
  Migration20261122183000_fold_username_keys,
  Migration20261122201000_deliveries,
  Migration20261122211000_sign_ins,
  Migration20261122234000_second_factors,
  Migration20261123013000_hash_keys,
  Migration20261123041000_erase_users,
];
