import { Migration20261121031000_create_channel } from './Migration20261121031000_create_channel.js';
import { Migration20261122140000_suspect_channels } from './Migration20261122140000_suspect_channels.js';
import { Migration20261122150000_find_channel_keys } from './Migration20261122150000_find_channel_keys.js';
import { Migration20261122210000_add_tasks } from './Migration20261122210000_add_tasks.js';
import { Migration20261123000500_plan_runs } from './Migration20261123000500_plan_runs.js';
import { Migration20261123001500_keep_tests } from './Migration20261123001500_keep_tests.js';
import { Migration20261123003000_key_states } from './Migration20261123003000_key_states.js';
import { Migration20261123030000_suspect_keys } from './Migration20261123030000_suspect_keys.js';
import { Migration20261123041000_erase_users } from './Migration20261123041000_erase_users.js';
import { Migration20261123045000_sweep_in_batches } from './Migration20261123045000_sweep_in_batches.js';
import { Migration20261128065000_probe_channels } from './Migration20261128065000_probe_channels.js';
import { Migration20261128070000_keep_test_outcome } from './Migration20261128070000_keep_test_outcome.js';

/** In the order in which they run. */
export const migrations = [
  Migration20261121031000_create_channel,
  Migration20261122140000_suspect_channels,
  Migration20261122150000_find_channel_keys,
  Migration20261122210000_add_tasks,
  Migration20261123000500_plan_runs,
  Migration20261123001500_keep_tests,
  Migration20261123003000_key_states,
  Migration20261123030000_suspect_keys,
  Migration20261123041000_erase_users,
  Migration20261123045000_sweep_in_batches,
  Migration20261128065000_probe_channels,
  Migration20261128070000_keep_test_outcome,
];
