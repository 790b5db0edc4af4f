import { RedemptionStatus } from '@tollgate/contracts';
import { defineService } from '@tollgate/chassis';
import { ErasedUserRow } from '@tollgate/database';
import { Account } from './account/account.entity.js';
import { Approval } from './approval/approval.entity.js';
import { ChannelCost } from './cost/channel-cost.entity.js';
import { BillingModule } from './billing.module.js';
import { migrations } from './migrations/index.js';
import { ChangeRevision } from './revision/change-revision.entity.js';
import { Posting, PostingKey } from './journal/posting.entity.js';
import { Lease, LeaseWait, ReaperRun, RelayEpoch } from './lease/lease.entity.js';
import { BooksWatchRow } from './proof/books-watch.entity.js';
import { sealedRedemptionKeys } from './redemption/redemption-key.js';
import { sealedSigningKeys } from './seal/signing-key.js';
import { sealedTokenKeys } from './token/token-key.js';
import { billingChecks } from './proof/book-checks.js';
import { JournalLink, JournalSeal, SealKey, SealProgress } from './seal/seal.entity.js';
import { PricePublication, PriceVersion } from './pricing/price-version.entity.js';
import { Redemption } from './redemption/redemption.entity.js';
import { TaskRefund } from './refund/task-refund.entity.js';
import { TopUpOrder, TopUpStep } from './top-up/top-up-order.entity.js';
import { Token } from './token/token.entity.js';

export { auditChains } from './seal/chain-audit.js';
export type { Query } from './seal/chain-rows.js';
export { type ExportedCost, type ExportedPrices, exportJournal } from './seal/journal-export.js';
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
    migrations,
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
