import { Module } from '@nestjs/common';
import { AccountService } from './account/account.service.js';
import { AdjustmentService } from './account/adjustment.service.js';
import { AccountsInternalController } from './account/accounts.internal.controller.js';
import { AffiliateCodes } from './account/affiliate-codes.js';
import { AffiliateController } from './account/affiliate.controller.js';
import { RankGuard } from './account/rank-guard.js';
import { LowBalanceWatch } from './account/low-balance-watch.js';
import { QuotaTexts } from './account/quota-texts.js';
import { WalletMovements } from './account/wallet-movements.js';
import { ApprovalDesk } from './approval/approval-desk.js';
import { CostBook } from './booking/cost-book.js';
import { ChannelDayFold } from './invoice/channel-day-fold.js';
import { InvoiceController } from './invoice/invoice.controller.js';
import { InvoiceService } from './invoice/invoice.service.js';
import { InvoiceStore } from './invoice/invoice.store.js';
import { CostController } from './cost/cost.controller.js';
import { CostService } from './cost/cost.service.js';
import { KnownChannels } from './cost/known-channels.js';
import { BookingService } from './booking/booking.service.js';
import { ChangeRevisions } from './revision/change-revisions.js';
import { RevisionBroadcast } from './revision/revision-broadcast.js';
import { RequestConsumedConsumer } from './booking/request-consumed.consumer.js';
import { ApprovalController } from './four-eyes/approval.controller.js';
import { CorrectionController } from './four-eyes/correction.controller.js';
import { CorrectionEvents } from './correction/correction-events.js';
import { CorrectionPoster } from './correction/correction-poster.js';
import { CorrectionQueries } from './correction/correction.queries.js';
import { ApprovalDecisions } from './four-eyes/approval-decisions.js';
import { ApprovalQueries } from './four-eyes/approval.queries.js';
import { PeriodService } from './statement/period.service.js';
import { StatementBacklog } from './statement/statement-backlog.js';
import { StatementController } from './statement/statement.controller.js';
import { StatementQueries } from './statement/statement.queries.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { EvidenceQueries } from './evidence/evidence.queries.js';
import { MovementChain } from './evidence/movement-chain.js';
import { MovementSteps } from './evidence/movement-steps.js';
import { RequestChain } from './evidence/request-chain.js';
import { JournalController } from './journal/journal.controller.js';
import { JournalInternalController } from './journal/journal.internal.controller.js';
import { JournalPartitions } from './journal/journal-partitions.js';
import { JournalQueries } from './journal/journal.queries.js';
import { JournalService } from './journal/journal.service.js';
import { RatingCheck } from './booking/rating-check.js';
import { LeaseQueries } from './lease/lease.queries.js';
import { LeaseReaper } from './lease/lease.reaper.js';
import { LeaseService } from './lease/lease.service.js';
import { LeasesInternalController } from './lease/leases.internal.controller.js';
import { RecallBoard } from './lease/recall-board.js';
import { EpayGateway } from './payment/epay.gateway.js';
import { PaymentGateways } from './payment/payment-gateways.js';
import { StripeGateway } from './payment/stripe.gateway.js';
import { PaymentCallbackController } from './top-up/payment-callback.controller.js';
import { OrderStateService } from './top-up/order-state.service.js';
import { TopUpController } from './top-up/top-up.controller.js';
import { TopUpQueries } from './top-up/top-up.queries.js';
import { TopUpService } from './top-up/top-up.service.js';
import { AbilityDirectory } from './pricing/ability-directory.js';
import { OptionChangedConsumer } from './pricing/option-changed.consumer.js';
import { PriceService } from './pricing/price.service.js';
import { PricesInternalController } from './pricing/prices.internal.controller.js';
import { PricingController } from './pricing/pricing.controller.js';
import { RedeemingService } from './redemption/redeeming.service.js';
import { RedemptionController } from './redemption/redemption.controller.js';
import { RedemptionService } from './redemption/redemption.service.js';
import { BooksController } from './proof/books.controller.js';
import { CarriedBooks } from './proof/carried-books.js';
import { BooksWatch } from './proof/books-watch.js';
import { SealFile } from './seal/seal-file.js';
import { Sealer } from './seal/sealer.js';
import { SigningKeys } from './seal/signing-keys.js';
import { OpeningInternalController } from './opening/opening.internal.controller.js';
import { OpeningService } from './opening/opening.service.js';
import { UserRegisteredConsumer } from './opening/user-registered.consumer.js';
import { UserErasedConsumer } from './person/user-erased.consumer.js';
import { PersonInternalController } from './person/person.internal.controller.js';
import { PersonRows } from './person/person-rows.js';
import { TaskRefunds } from './refund/task-refunds.js';
import { TaskUpdatedConsumer } from './refund/task-updated.consumer.js';
import { FirstTokens } from './token/first-tokens.js';
import { DashboardBillingController } from './token/dashboard-billing.controller.js';
import { TokenAuthenticator } from './token/token-authenticator.js';
import { TokenBooks } from './token/token-books.js';
import { TokenBudgetController } from './token/token-budget.controller.js';
import { TokenBudgets } from './token/token-budgets.js';
import { TokenController } from './token/token.controller.js';
import { TokenQueries } from './token/token.queries.js';
import { TokenService } from './token/token.service.js';
import { TokensInternalController } from './token/tokens.internal.controller.js';

@Module({
  controllers: [
    BooksController,
    AccountsInternalController,
    AffiliateController,
    ApprovalController,
    CorrectionController,
    CostController,
    InvoiceController,
    EvidenceController,
    StatementController,
    JournalController,
    TokenBudgetController,
    OpeningInternalController,
    UserRegisteredConsumer,
    RequestConsumedConsumer,
    JournalInternalController,
    LeasesInternalController,
    OptionChangedConsumer,
    PricesInternalController,
    PricingController,
    RedemptionController,
    PaymentCallbackController,
    TopUpController,
    DashboardBillingController,
    TaskUpdatedConsumer,
    TokenController,
    TokensInternalController,
    UserErasedConsumer,
    PersonInternalController,
  ],
  providers: [
    RevisionBroadcast,
    AccountService,
    OpeningService,
    FirstTokens,
    AdjustmentService,
    AffiliateCodes,
    ApprovalDecisions,
    ApprovalDesk,
    ApprovalQueries,
    CostBook,
    CostService,
    KnownChannels,
    ChannelDayFold,
    InvoiceService,
    InvoiceStore,
    CorrectionEvents,
    CorrectionPoster,
    CorrectionQueries,
    EvidenceQueries,
    PeriodService,
    StatementBacklog,
    StatementQueries,
    MovementChain,
    MovementSteps,
    RequestChain,
    JournalQueries,
    TokenBooks,
    TokenBudgets,
    LowBalanceWatch,
    QuotaTexts,
    RankGuard,
    WalletMovements,
    TaskRefunds,
    BookingService,
    ChangeRevisions,
    JournalPartitions,
    JournalService,
    RatingCheck,
    BooksWatch,
    CarriedBooks,
    SealFile,
    Sealer,
    SigningKeys,
    LeaseQueries,
    LeaseReaper,
    LeaseService,
    RecallBoard,
    AbilityDirectory,
    PersonRows,
    PriceService,
    RedeemingService,
    RedemptionService,
    EpayGateway,
    StripeGateway,
    PaymentGateways,
    OrderStateService,
    TopUpService,
    TopUpQueries,
    TokenAuthenticator,
    TokenQueries,
    TokenService,
  ],
})
export class BillingModule {}
