import { asAdmin, asRoot, asUser, byProvider, defineRoutes, open } from './define-routes.js';

/** Limit for a JSON body that contains a provider's invoice file. */
const INVOICE_BODY = 40 * 1024 * 1024;

const toldInData = { unreadable: '参数错误', refusedInData: true } as const;

export const billingRoutes = defineRoutes('billing', {
  listTokens: { method: 'GET', path: '/api/token', ...asUser },
  searchTokens: { method: 'GET', path: '/api/token/search', ...asUser },
  getToken: { method: 'GET', path: '/api/token/:id', ...asUser },
  createToken: { method: 'POST', path: '/api/token', ...asUser },
  updateToken: { method: 'PUT', path: '/api/token', ...asUser },
  deleteToken: { method: 'DELETE', path: '/api/token/:id', ...asUser },

  /** Budgets of all users' keys, for administrators; the keys themselves are shown to their owners only. */
  listTokensOfUser: { method: 'GET', path: '/api/token/user/:id', ...asAdmin },
  changeTokenBudget: { method: 'POST', path: '/api/token/:id/budget', ...asAdmin },

  listJournal: { method: 'GET', path: '/api/journal', ...asAdmin },
  exportJournal: { method: 'GET', path: '/api/journal/export', ...asAdmin },
  listOwnJournal: { method: 'GET', path: '/api/journal/self', ...asUser },
  exportOwnJournal: { method: 'GET', path: '/api/journal/self/export', ...asUser },

  getStatement: { method: 'GET', path: '/api/statement', ...asAdmin },
  exportStatement: { method: 'GET', path: '/api/statement/export', ...asAdmin },
  getOwnStatement: { method: 'GET', path: '/api/statement/self', ...asUser },
  exportOwnStatement: { method: 'GET', path: '/api/statement/self/export', ...asUser },
  listClosedPeriods: { method: 'GET', path: '/api/period', ...asAdmin },
  closePeriod: { method: 'POST', path: '/api/period/close', ...asRoot },
  checkPeriod: { method: 'GET', path: '/api/period/:id/check', ...asAdmin },

  getChannelCosts: { method: 'GET', path: '/api/cost', ...asAdmin },
  saveChannelCosts: { method: 'PUT', path: '/api/cost', ...asAdmin },

  getProof: { method: 'GET', path: '/api/proof/:kind/:id', ...asUser },

  listInvoices: { method: 'GET', path: '/api/invoice', ...asAdmin },
  importInvoice: { method: 'POST', path: '/api/invoice', ...asAdmin, bodyLimit: INVOICE_BODY },
  getInvoice: { method: 'GET', path: '/api/invoice/:id', ...asAdmin },
  exportInvoice: { method: 'GET', path: '/api/invoice/:id/export', ...asAdmin },
  listInvoiceRequests: { method: 'GET', path: '/api/invoice/:id/requests', ...asAdmin },

  listApprovals: { method: 'GET', path: '/api/approval', ...asAdmin },
  countPendingApprovals: { method: 'GET', path: '/api/approval/pending', ...asAdmin },
  getApproval: { method: 'GET', path: '/api/approval/:id', ...asAdmin },
  getCorrection: { method: 'GET', path: '/api/approval/:id/correction', ...asAdmin },
  exportCorrection: { method: 'GET', path: '/api/approval/:id/correction/export', ...asAdmin },
  approve: { method: 'POST', path: '/api/approval/:id/approve', ...asAdmin },
  refuseApproval: { method: 'POST', path: '/api/approval/:id/refuse', ...asAdmin },
  withdrawApproval: { method: 'POST', path: '/api/approval/:id/withdraw', ...asAdmin },

  getAffiliateCode: { method: 'GET', path: '/api/user/aff', ...asUser },
  transferAffiliateQuota: { method: 'POST', path: '/api/user/aff_transfer', ...asUser },

  listRedemptions: { method: 'GET', path: '/api/redemption', ...asAdmin },
  searchRedemptions: { method: 'GET', path: '/api/redemption/search', ...asAdmin },
  sumRedemptions: { method: 'GET', path: '/api/redemption/sums', ...asAdmin },
  getRedemption: { method: 'GET', path: '/api/redemption/:id', ...asAdmin },
  createRedemptions: { method: 'POST', path: '/api/redemption', ...asAdmin },
  updateRedemption: { method: 'PUT', path: '/api/redemption', ...asAdmin },
  deleteRedemption: { method: 'DELETE', path: '/api/redemption/:id', ...asAdmin },
  quoteTopUp: { method: 'POST', path: '/api/user/amount', ...asUser, ...toldInData },
  payTopUp: { method: 'POST', path: '/api/user/pay', ...asUser, ...toldInData },
  notifyEpayByGet: { method: 'GET', path: '/api/user/epay/notify', ...byProvider },
  notifyEpay: { method: 'POST', path: '/api/user/epay/notify', ...byProvider },
  notifyStripe: { method: 'POST', path: '/api/user/stripe/notify', ...byProvider },
  listOwnTopUps: { method: 'GET', path: '/api/user/topup/self', ...asUser },
  getOwnTopUp: { method: 'GET', path: '/api/user/topup/self/:id', ...asUser },
  listTopUps: { method: 'GET', path: '/api/user/topup', ...asAdmin },
  getTopUp: { method: 'GET', path: '/api/user/topup/:id', ...asAdmin },
  refundTopUp: { method: 'POST', path: '/api/user/topup/:id/refund', ...asAdmin },
  redeem: { method: 'POST', path: '/api/user/topup', ...asUser },

  getBooksState: { method: 'GET', path: '/api/finance/books', ...asAdmin },

  listPricing: { method: 'GET', path: '/api/pricing', ...open, auth: 'optional' },
  listGroups: { method: 'GET', path: '/api/group', ...asAdmin },
  listOwnGroups: { method: 'GET', path: '/api/user/self/groups', ...asUser },
  listUserGroups: { method: 'GET', path: '/api/user/groups', ...open, auth: 'optional' },

  getBillingSubscription: { method: 'GET', path: '/v1/dashboard/billing/subscription', ...open, auth: 'token' },
  getBillingUsage: { method: 'GET', path: '/v1/dashboard/billing/usage', ...open, auth: 'token' },
  getBillingSubscriptionShort: { method: 'GET', path: '/dashboard/billing/subscription', ...open, auth: 'token' },
  getBillingUsageShort: { method: 'GET', path: '/dashboard/billing/usage', ...open, auth: 'token' },
});
