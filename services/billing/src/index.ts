import { RedemptionStatus } from '@tollgate/contracts';
import { defineService } from '@tollgate/chassis';
import { ErasedUserRow } from '@tollgate/database';
import { Account } from './account/account.entity.js';
import { Approval } from './approval/approval.entity.js';
import { ChannelCost } from './cost/channel-cost.entity.js';
import { BillingModule } from './billing.module.js';
import { ChangeRevision } from './revision/change-revision.entity.js';
import { Posting, PostingKey } from './journal/posting.entity.js';
import { Lease, LeaseWait, ReaperRun, RelayEpoch } from './lease/lease.entity.js';
import { Migration20261121030000_create_billing } from './migrations/Migration20261121030000_create_billing.js';
import { Migration20261121090000_note_spent_of_leases } from './migrations/Migration20261121090000_note_spent_of_leases.js';
import { Migration20261122200000_add_redemptions } from './migrations/Migration20261122200000_add_redemptions.js';
import { Migration20261122201500_add_top_up_orders } from './migrations/Migration20261122201500_add_top_up_orders.js';
import { Migration20261122220000_add_task_refunds } from './migrations/Migration20261122220000_add_task_refunds.js';
import { Migration20261123033000_reseal_keys } from './migrations/Migration20261123033000_reseal_keys.js';
import { BooksWatchRow } from './proof/books-watch.entity.js';
import { Migration20261123000500_watch_books } from './migrations/Migration20261123000500_watch_books.js';
import { Migration20261123020000_carry_book_sums } from './migrations/Migration20261123020000_carry_book_sums.js';
import { Migration20261123020100_version_chain_texts } from './migrations/Migration20261123020100_version_chain_texts.js';
import { sealedRedemptionKeys } from './redemption/redemption-key.js';
import { sealedSigningKeys } from './seal/signing-key.js';
import { sealedTokenKeys } from './token/token-key.js';
import { billingChecks } from './proof/book-checks.js';
import { JournalLink, JournalSeal, SealKey, SealProgress } from './seal/seal.entity.js';
import { Migration20261122233000_seal_journal } from './migrations/Migration20261122233000_seal_journal.js';
import { Migration20261123000000_index_movements } from './migrations/Migration20261123000000_index_movements.js';
import { Migration20261123000100_add_approvals } from './migrations/Migration20261123000100_add_approvals.js';
import { Migration20261123000200_add_statements } from './migrations/Migration20261123000200_add_statements.js';
import { Migration20261123041000_erase_users } from './migrations/Migration20261123041000_erase_users.js';
import { Migration20261123045000_sweep_in_batches } from './migrations/Migration20261123045000_sweep_in_batches.js';
import { Migration20261123080000_add_up_days_by_numbers } from './migrations/Migration20261123080000_add_up_days_by_numbers.js';
import { Migration20261123090000_sum_channel_days } from './migrations/Migration20261123090000_sum_channel_days.js';
import { Migration20261123100000_sum_before } from './migrations/Migration20261123100000_sum_before.js';
import { Migration20261126010000_retry_task_refunds } from './migrations/Migration20261126010000_retry_task_refunds.js';
import { Migration20261126080000_find_payments_held_back } from './migrations/Migration20261126080000_find_payments_held_back.js';
import { Migration20261126200000_sign_periods } from './migrations/Migration20261126200000_sign_periods.js';
import { Migration20261126210000_keep_terms } from './migrations/Migration20261126210000_keep_terms.js';
import { Migration20261128000000_find_codes_in_any_case } from './migrations/Migration20261128000000_find_codes_in_any_case.js';
import { Migration20261128230000_count_heartbeats } from './migrations/Migration20261128230000_count_heartbeats.js';
import { Migration20261123000300_note_event_places } from './migrations/Migration20261123000300_note_event_places.js';
import { Migration20261123030000_lay_down_corrections } from './migrations/Migration20261123030000_lay_down_corrections.js';
import { Migration20261123031000_know_costs } from './migrations/Migration20261123031000_know_costs.js';
import { Migration20261123032000_import_invoices } from './migrations/Migration20261123032000_import_invoices.js';
import { PricePublication, PriceVersion } from './pricing/price-version.entity.js';
import { Redemption } from './redemption/redemption.entity.js';
import { TaskRefund } from './refund/task-refund.entity.js';
import { TopUpOrder, TopUpStep } from './top-up/top-up-order.entity.js';
import { Token } from './token/token.entity.js';

export { auditChains, type ChainAudit } from './seal/chain-audit.js';
export type { Query } from './seal/chain-rows.js';
export { type ExportedCost, type ExportedPrices, exportJournal, type ExportReport } from './seal/journal-export.js';
export { JournalReplay, type ReplayedRow, type ReplayReport } from './replay/journal-replay.js';
export { isSignedBy } from './seal/signature.js';
export { BooksWatch } from './proof/books-watch.js';
export { bookedByNow } from './correction/booked-now.js';
export { type CorrectionWish, type SubmittedRun, submitCorrections } from './rerate/submit-corrections.js';
export { type PriceDocuments, readPrices, type Rerated, Rerating } from './rerate/rerating.js';
export { auditPeriods } from './statement/period-seal.js';
export { Sealer } from './seal/sealer.js';
export { openSigningKey } from './seal/signing-key.js';
export { type RatingFault, ratingFault } from './booking/rating-check.js';

export const billing = defineService({
  name: 'billing',
  module: BillingModule,
  database: {
    entities: [
      Account,
      Token,
      Lease,
      LeaseWait,
      RelayEpoch,
      ReaperRun,
      Posting,
      PostingKey,
      JournalLink,
      JournalSeal,
      SealKey,
      SealProgress,
      BooksWatchRow,
      ChangeRevision,
      PriceVersion,
      PricePublication,
      Redemption,
      TopUpOrder,
      TopUpStep,
      TaskRefund,
      Approval,
      ChannelCost,
      ErasedUserRow,
    ],
    migrations: [
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
    ],
    proofs: {
      'credit of wallets': 'select sum("credit") as value from "account"',
      'spent of wallets': 'select sum("spent") as value from "account"',
      'spent of tokens': 'select sum("spent") as value from "token"',
      'booked consumption': `select sum("amount") as value from "posting" where "code" = 'consumption'`,
      'quota of unused codes': `select sum("quota") as value from "redemption" where "status" = ${RedemptionStatus.unused} and "deleted_at" is null`,
      'quota of paid orders': `select sum("quota") as value from "top_up_order" where "status" = 'paid'`,
      'sums of statements': 'select sum("amount") as value from "statement_day"',
      'sums of channels': 'select sum("sales") as value from "channel_day"',
      'given back for failed tasks': `select sum("amount") as value from "posting" where "code" = 'task-refund'`,
      'funds whose held quota is not that of their leases': 'select count(*) as value from "held_faults"()',
    },
    checks: billingChecks,
    seals: [sealedTokenKeys, sealedRedemptionKeys, sealedSigningKeys],
  },
});
