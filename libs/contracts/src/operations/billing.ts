import { z } from 'zod';
import { booksStateSchema } from '../api/books.js';
import { approvalSchema, correctionRunSchema, pendingApprovalsSchema } from '../api/approval.js';
import { channelCostsSchema, savedCostsSchema } from '../api/cost.js';
import { invoiceRequestsSchema, invoiceResultSchema, invoiceSchema } from '../api/invoice.js';
import { budgetChangeSchema, postingSchema, tokenBudgetSchema } from '../api/journal.js';
import { proofSchema } from '../api/proof.js';
import { closedPeriodSchema, periodCheckSchema, statementSchema } from '../api/statement.js';
import { groupNamesSchema, pricingReplySchema, userGroupsSchema } from '../api/pricing.js';
import {
  redemptionSchema,
  redemptionSumSchema,
  updateRedemptionSchema,
  updateRedemptionStatusSchema,
} from '../api/redemption.js';
import {
  topUpAmountReplySchema,
  topUpAmountSchema,
  topUpDetailSchema,
  topUpOrderSchema,
  topUpPayReplySchema,
  topUpPaySchema,
} from '../api/top-up.js';
import { tokenSchema, updateTokenSchema, updateTokenStatusSchema } from '../api/token.js';
import type { billingRoutes } from '../routes/billing.js';
import { type OperationDocument, pageOf, totalCount } from './define-operations.js';

const subscriptionSchema = z.object({
  object: z.literal('billing_subscription'),
  has_payment_method: z.boolean(),
  soft_limit_usd: z.number(),
  hard_limit_usd: z.number(),
  system_hard_limit_usd: z.number(),
  /** Unix seconds; 0 for no expiry. */
  access_until: z.int(),
});
/** Amount in cents. */
const usageSchema = z.object({ object: z.literal('list'), total_usage: z.number() });

const subscription = {
  summary: 'What the token may spend, in the shape of OpenAI.',
  reply: subscriptionSchema,
  errorFormat: 'openai',
} as const;
const usage = {
  summary: 'What the token has spent, in cents, in the shape of OpenAI.',
  reply: usageSchema,
  errorFormat: 'openai',
} as const;

export const billingOperations = {
  listTokens: { summary: 'Own tokens.', data: z.array(tokenSchema), headers: totalCount },
  searchTokens: { summary: 'Own tokens by name or key.', data: z.array(tokenSchema), headers: totalCount },
  getToken: { summary: 'One own token.', data: tokenSchema },
  createToken: { summary: 'Create a token.' },
  updateToken: {
    summary: 'Change a token; with `status_only` nothing but its status.',
    body: z.union([updateTokenSchema, updateTokenStatusSchema]),
    data: tokenSchema,
  },
  deleteToken: { summary: 'Delete a token.' },

  listTokensOfUser: {
    summary: "Somebody's tokens with their budgets, without the keys.",
    data: pageOf(tokenBudgetSchema),
  },
  changeTokenBudget: { summary: 'Raise or lower the budget of a token, by a posting.', data: budgetChangeSchema },

  listJournal: { summary: 'Rows of the journal, by page.', data: pageOf(postingSchema) },
  exportJournal: { summary: 'The same whole, as CSV.', reply: z.string() },
  listOwnJournal: { summary: 'Own rows of the journal, by page.', data: pageOf(postingSchema) },
  exportOwnJournal: { summary: 'The same whole, as CSV.', reply: z.string() },

  getStatement: { summary: 'Sums of the journal by period and user, group, channel or model.', data: statementSchema },
  exportStatement: { summary: 'The same whole, as CSV.', reply: z.string() },
  getOwnStatement: { summary: 'Own sums of the journal.', data: statementSchema },
  exportOwnStatement: { summary: 'The same whole, as CSV.', reply: z.string() },
  listClosedPeriods: { summary: 'Closed periods with their seals.', data: pageOf(closedPeriodSchema) },
  closePeriod: { summary: 'Close everything up to a day, for ever.', data: closedPeriodSchema },
  checkPeriod: { summary: 'Whether a closed period is still what was sealed.', data: periodCheckSchema },

  getProof: { summary: 'How a charge or another movement came about, link by link.', data: proofSchema },

  getChannelCosts: { summary: 'What a channel costs now, and its latest versions.', data: channelCostsSchema },
  saveChannelCosts: {
    summary: 'State all cost prices of a channel; they count for requests from now on.',
    data: savedCostsSchema,
  },

  listInvoices: {
    summary: 'Invoices of providers that were imported, newest first, by page.',
    data: pageOf(invoiceSchema),
  },
  importInvoice: {
    summary: 'Import the usage that a provider invoices, as the CSV that it offers.',
    data: invoiceSchema,
  },
  getInvoice: {
    summary: 'By day and model: the invoice, what the upstream reported, what was booked, and how they differ.',
    data: invoiceResultSchema,
  },
  exportInvoice: { summary: 'The same as CSV.', reply: z.string() },
  listInvoiceRequests: {
    summary: 'Requests of a day and model that explain a difference, with the reason of each.',
    data: invoiceRequestsSchema,
  },

  listApprovals: { summary: 'Movements that need a second administrator, by page.', data: pageOf(approvalSchema) },
  countPendingApprovals: { summary: 'How many wait.', data: pendingApprovalsSchema },
  getApproval: { summary: 'One of them.', data: approvalSchema },
  getCorrection: {
    summary: 'What a correction run would post: sums by user, model and channel, and its first rows.',
    data: correctionRunSchema,
  },
  exportCorrection: { summary: 'All rows of a correction run as CSV.', reply: z.string() },
  approve: { summary: 'Carry out what another administrator asked for.', data: approvalSchema },
  refuseApproval: { summary: 'Refuse it, with a reason.', data: approvalSchema },
  withdrawApproval: { summary: 'Take an own request back.', data: approvalSchema },

  getAffiliateCode: { summary: 'The own invitation code.', data: z.string() },
  transferAffiliateQuota: { summary: 'Move rewards for invitations into the wallet.' },

  listRedemptions: { summary: 'Redemption codes, by page.', data: pageOf(redemptionSchema) },
  searchRedemptions: { summary: 'Redemption codes by id or start of name, by page.', data: pageOf(redemptionSchema) },
  sumRedemptions: { summary: 'Number and sum of the codes of each status.', data: z.array(redemptionSumSchema) },
  getRedemption: { summary: 'One redemption code.', data: redemptionSchema },
  createRedemptions: { summary: 'Make up to 100 codes; answers them.', data: z.array(z.string()) },
  updateRedemption: {
    summary: 'Change an unused code; with `status_only` nothing but its status.',
    body: z.union([updateRedemptionSchema, updateRedemptionStatusSchema]),
    data: redemptionSchema,
  },
  deleteRedemption: { summary: 'Delete a redemption code.' },
  quoteTopUp: { summary: 'What an amount costs.', body: topUpAmountSchema, reply: topUpAmountReplySchema },
  payTopUp: {
    summary: 'Make an order; answers the form that the browser posts to the payment provider.',
    body: topUpPaySchema,
    reply: topUpPayReplySchema,
  },
  notifyEpayByGet: {
    summary: 'Where an EasyPay gateway reports, by query; answers success or fail.',
    reply: z.string(),
  },
  notifyEpay: { summary: 'The same by form.', body: z.record(z.string(), z.string()), reply: z.string() },
  notifyStripe: {
    summary: 'Where Stripe reports, by signed events.',
    body: z.looseObject({ id: z.string(), type: z.string() }),
    reply: z.object({ received: z.boolean() }),
  },
  listOwnTopUps: { summary: 'Own orders, by page.', data: pageOf(topUpOrderSchema) },
  getOwnTopUp: { summary: 'One own order with its timeline.', data: topUpDetailSchema },
  listTopUps: { summary: 'Orders of everybody, by page.', data: pageOf(topUpOrderSchema) },
  getTopUp: { summary: 'One order with its timeline and what the provider sent.', data: topUpDetailSchema },
  refundTopUp: { summary: 'Take the quota of a paid order back.' },
  redeem: { summary: 'Redeem a code; answers the quota it added.', data: z.int() },

  getBooksState: {
    summary: 'Up to when journal, balances and usage log were found to tell the same.',
    data: booksStateSchema,
  },
  listPricing: { summary: 'Prices of the models the caller may use.', reply: pricingReplySchema },
  listGroups: { summary: 'Names of all groups.', data: groupNamesSchema },
  listOwnGroups: { summary: 'Groups the caller may use, with their ratios.', data: userGroupsSchema },
  listUserGroups: { summary: 'The same, open to visitors.', data: userGroupsSchema },

  getBillingSubscription: subscription,
  getBillingUsage: usage,
  getBillingSubscriptionShort: subscription,
  getBillingUsageShort: usage,
} as const satisfies Record<keyof typeof billingRoutes, OperationDocument>;
