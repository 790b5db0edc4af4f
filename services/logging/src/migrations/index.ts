import { Migration20261121032000_create_logging } from './Migration20261121032000_create_logging.js';
import { Migration20261121060000_add_logged_quota } from './Migration20261121060000_add_logged_quota.js';
import { Migration20261123001000_time_channels } from './Migration20261123001000_time_channels.js';
import { Migration20261123003000_refused_calls } from './Migration20261123003000_refused_calls.js';
import { Migration20261123040000_find_audit_entries } from './Migration20261123040000_find_audit_entries.js';
import { Migration20261123041000_erase_users } from './Migration20261123041000_erase_users.js';
import { Migration20261123045000_sweep_in_batches } from './Migration20261123045000_sweep_in_batches.js';
import { Migration20261123090000_sum_channel_usage } from './Migration20261123090000_sum_channel_usage.js';
import { Migration20261123100000_join_channel_usage } from './Migration20261123100000_join_channel_usage.js';
import { Migration20261126000000_leave_channel_tests_out } from './Migration20261126000000_leave_channel_tests_out.js';
import { Migration20261126020000_note_event_places } from './Migration20261126020000_note_event_places.js';
import { Migration20261126030000_keep_rows_elsewhere } from './Migration20261126030000_keep_rows_elsewhere.js';
import { Migration20261127090000_count_rewrites } from './Migration20261127090000_count_rewrites.js';

/** In the order in which they run. */
export const migrations = [
  Migration20261121032000_create_logging,
  Migration20261121060000_add_logged_quota,
  Migration20261123001000_time_channels,
  Migration20261123003000_refused_calls,
  Migration20261123040000_find_audit_entries,
  Migration20261123041000_erase_users,
  Migration20261123045000_sweep_in_batches,
  Migration20261123090000_sum_channel_usage,
  Migration20261123100000_join_channel_usage,
  Migration20261126000000_leave_channel_tests_out,
  Migration20261126020000_note_event_places,
  Migration20261126030000_keep_rows_elsewhere,
  Migration20261127090000_count_rewrites,
];
