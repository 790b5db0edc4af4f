import { Migration20261121030000_create_billing } from './Migration20261121030000_create_billing.js';
import { Migration20261121090000_note_spent_of_leases } from './Migration20261121090000_note_spent_of_leases.js';
import { Migration20261122200000_add_redemptions } from './Migration20261122200000_add_redemptions.js';
import { Migration20261122201500_add_top_up_orders } from './Migration20261122201500_add_top_up_orders.js';
import { Migration20261122220000_add_task_refunds } from './Migration20261122220000_add_task_refunds.js';
import { Migration20261122233000_seal_journal } from './Migration20261122233000_seal_journal.js';
import { Migration20261123000000_index_movements } from './Migration20261123000000_index_movements.js';
import { Migration20261123000100_add_approvals } from './Migration20261123000100_add_approvals.js';
import { Migration20261123000200_add_statements } from './Migration20261123000200_add_statements.js';
import { Migration20261123000300_note_event_places } from './Migration20261123000300_note_event_places.js';
import { Migration20261123000500_watch_books } from './Migration20261123000500_watch_books.js';
import { Migration20261123020000_carry_book_sums } from './Migration20261123020000_carry_book_sums.js';
import { Migration20261123020100_version_chain_texts } from './Migration20261123020100_version_chain_texts.js';
import { Migration20261123030000_lay_down_corrections } from './Migration20261123030000_lay_down_corrections.js';
import { Migration20261123031000_know_costs } from './Migration20261123031000_know_costs.js';
import { Migration20261123032000_import_invoices } from './Migration20261123032000_import_invoices.js';
import { Migration20261123033000_reseal_keys } from './Migration20261123033000_reseal_keys.js';
import { Migration20261123041000_erase_users } from './Migration20261123041000_erase_users.js';
import { Migration20261123045000_sweep_in_batches } from './Migration20261123045000_sweep_in_batches.js';
import { Migration20261123080000_add_up_days_by_numbers } from './Migration20261123080000_add_up_days_by_numbers.js';
import { Migration20261123090000_sum_channel_days } from './Migration20261123090000_sum_channel_days.js';
import { Migration20261123100000_sum_before } from './Migration20261123100000_sum_before.js';
import { Migration20261126010000_retry_task_refunds } from './Migration20261126010000_retry_task_refunds.js';
import { Migration20261126080000_find_payments_held_back } from './Migration20261126080000_find_payments_held_back.js';
import { Migration20261126200000_sign_periods } from './Migration20261126200000_sign_periods.js';
import { Migration20261126210000_keep_terms } from './Migration20261126210000_keep_terms.js';
import { Migration20261128000000_find_codes_in_any_case } from './Migration20261128000000_find_codes_in_any_case.js';
import { Migration20261128230000_count_heartbeats } from './Migration20261128230000_count_heartbeats.js';

/** In the order in which they run. */
export const migrations = [
  Migration20261121030000_create_billing,
  Migration20261121090000_note_spent_of_leases,
  Migration20261122200000_add_redemptions,
  Migration20261122201500_add_top_up_orders,
  Migration20261122220000_add_task_refunds,
  Migration20261122233000_seal_journal,
  Migration20261123000000_index_movements,
  Migration20261123000100_add_approvals,
  Migration20261123000200_add_statements,
  Migration20261123000300_note_event_places,
  Migration20261123000500_watch_books,
  Migration20261123020000_carry_book_sums,
  Migration20261123020100_version_chain_texts,
  Migration20261123030000_lay_down_corrections,
  Migration20261123031000_know_costs,
  Migration20261123032000_import_invoices,
  Migration20261123033000_reseal_keys,
  Migration20261123041000_erase_users,
  Migration20261123045000_sweep_in_batches,
  Migration20261123080000_add_up_days_by_numbers,
  Migration20261123090000_sum_channel_days,
  Migration20261123100000_sum_before,
  Migration20261126010000_retry_task_refunds,
  Migration20261126080000_find_payments_held_back,
  Migration20261126200000_sign_periods,
  Migration20261126210000_keep_terms,
  Migration20261128000000_find_codes_in_any_case,
  Migration20261128230000_count_heartbeats,
];
