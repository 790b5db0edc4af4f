import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();
const units = z.int();

/** A wallet or a token's budget. */
const fundKind = z.enum(['wallet', 'token']);
export type FundKind = z.infer<typeof fundKind>;

/** Opens a wallet with the gifts of the options in force. Idempotent. Completes before the user can sign in. */
export const openAccount = defineCall({
  service: 'billing',
  name: 'open-account',
  input: z.object({
    userId: id,
    kind: z.enum(['setup', 'register', 'admin', 'oauth']),
    inviterId: z.int().nonnegative(),
  }),
  output: z.object({ quota: units }),
});

/** A user's balance as displayed: `quota` = credit − spent, `usedQuota` = booked consumption. */
export const balanceSchema = z.object({
  userId: id,
  quota: units,
  usedQuota: units,
  requestCount: z.int(),
  affCode: z.string(),
  affCount: z.int(),
  affQuota: units,
  affHistoryQuota: units,
});
export type Balance = z.infer<typeof balanceSchema>;

/** One row per requested id, with zeros for an account that is not open yet. */
export const getBalances = defineCall({
  service: 'billing',
  name: 'get-balances',
  input: z.object({ userIds: z.array(id).max(1000) }),
  output: z.object({ balances: z.array(balanceSchema) }),
});

const adjustment = z.object({
  userId: id,
  quota: units.optional(),
  delta: units.optional(),
  actorId: id,
  commandId: z.string().min(8),
  /** Fingerprint of the request that the command stands for. */
  fingerprint: z.string().min(8).max(128).optional(),
  /** The names of this command under secret keys that are being replaced. */
  former: z
    .array(z.object({ commandId: z.string().min(8).max(200), fingerprint: z.string().min(8).max(128) }))
    .max(10)
    .optional(),
  reason: z.string().max(200).optional(),
});
export type QuotaAdjustment = z.infer<typeof adjustment>;
const adjusted = z.object({ before: units, after: units });

/**
 * Sets the displayed quota (`quota`) or changes it by `delta` with one posting; idempotent by `commandId`. With a `fingerprint` of the
 * request, the id is unique across users, and a different request under it is refused with `idempotency-key-reused`. If the same command
 * was posted under one of its `former` names, that posting is returned.
 */
export const adjustQuota = defineCall({
  service: 'billing',
  name: 'adjust-quota',
  input: adjustment.extend({
    /** Set by callers that do not support `ask-adjustment` yet; has the same effect. */
    asksOnly: z.boolean().optional(),
  }),
  output: adjusted,
});

/**
 * Checks what the same `adjust-quota` would do, without moving anything: if another administrator must approve it, an approval request is
 * created and the call is refused with `approval-required`. A separate call, so that an older billing refuses it instead of moving quota.
 */
export const askAdjustment = defineCall({
  service: 'billing',
  name: 'ask-adjustment',
  input: adjustment,
  output: adjusted,
});

export const findAffiliate = defineCall({
  service: 'billing',
  name: 'find-affiliate',
  input: z.object({ code: z.string().max(32) }),
  output: z.object({ userId: id.nullable() }),
});

/** A token as the relay needs it. Its quota is only for messages; admission is decided by leases. */
export const tokenRecordSchema = z.object({
  id,
  userId: id,
  /** Hex HMAC of the 48-character key. */
  keyHash: z.string(),
  /** First and last three characters, for messages: `abc***xyz`. */
  keyHint: z.string(),
  name: z.string(),
  status: z.int(),
  /** Unix seconds; −1 for no expiry. */
  expiredTime: z.int(),
  unlimitedQuota: z.boolean(),
  remainQuota: units,
  usedQuota: units,
  modelLimitsEnabled: z.boolean(),
  modelLimits: z.array(z.string()),
  /** Addresses and CIDR ranges; empty for no restriction. */
  allowIps: z.array(z.string()),
  /** Empty for the user's group. */
  group: z.string(),
  revision: z.int(),
});
export type TokenRecord = z.infer<typeof tokenRecordSchema>;

/** Unknown and deleted tokens are omitted from the reply. */
export const resolveTokens = defineCall({
  service: 'billing',
  name: 'resolve-tokens',
  input: z.object({ keyHashes: z.array(z.string()).max(1000).default([]), ids: z.array(id).max(1000).default([]) }),
  output: z.object({ tokens: z.array(tokenRecordSchema) }),
});

/** Names for log rows, including deleted tokens. */
export const nameTokens = defineCall({
  service: 'billing',
  name: 'name-tokens',
  input: z.object({ ids: z.array(id).max(1000) }),
  output: z.object({ names: z.record(z.string(), z.string()) }),
});

/**
 * How much billing lends, in multiples of what a replica needs now. Replicas request their next block by it. Billing lends the need alone
 * where a fund has less than `scarceNeeds` times the need, otherwise up to `mostNeeds` times the need.
 */
export const lending = { scarceNeeds: 64, mostNeeds: 256 } as const;

const leaseCountersSchema = z.object({ granted: units.nonnegative(), returned: units.nonnegative() });
/** Units spent from its own leases, booked or not; replicas of the previous version do not send it. */
const used = units.nonnegative().default(0);
const ownCountersSchema = leaseCountersSchema.extend({ used });
/** The most requests for quota in one call; a replica has more after an outage. */
export const mostLeaseRequests = 1000;

/**
 * One request for blocks: from a user's wallet and, if `tokenId` > 0, from a token's budget; both are granted or none. `need` is what this
 * replica lacks for the hold it wants to place now. Counters are cumulative for (account, replica epoch), so repeating a call that timed
 * out is harmless.
 */
export const acquireLeases = defineCall({
  service: 'billing',
  name: 'acquire-leases',
  input: z.object({
    replicaEpoch: z.string(),
    requests: z
      .array(
        z.object({
          userId: id,
          /** 0 if there is no token budget (playground or unlimited token). */
          tokenId: z.int().nonnegative(),
          walletNeed: units.nonnegative(),
          tokenNeed: units.nonnegative(),
          /** Units that the replica has been granted, returned and spent, by its own count. */
          wallet: ownCountersSchema,
          token: ownCountersSchema,
        }),
      )
      .max(mostLeaseRequests),
  }),
  output: z.object({
    /** False if this epoch has expired: every outcome is then `unknown`, and the replica must start a new epoch. */
    alive: z.boolean(),
    results: z.array(
      z.object({
        /** `busy`: refused only because other leases hold the quota; `short`: not enough quota; both change nothing. */
        outcome: z.enum(['granted', 'busy', 'short-wallet', 'short-token', 'unknown']),
        wallet: leaseCountersSchema,
        token: leaseCountersSchema,
        /** credit − spent − held before this request: the most that could be granted now, for an exclusive last hold and for messages. */
        walletAvailable: units,
        tokenAvailable: units,
        /** credit − spent, the displayed balances. */
        walletQuota: units,
        tokenQuota: units,
        /** Units that other replicas hold and have not spent, as far as they reported it: these may be recalled, so waiting can help. */
        walletElsewhere: units,
        tokenElsewhere: units,
      }),
    ),
  }),
});

/** The most accounts that one heartbeat reports. */
export const mostReportedAccounts = 5000;
/** The most recovered epochs that one heartbeat names. */
export const mostRecovered = 1000;

/**
 * Combines heartbeat and return: cumulative counters per account, by the replica's own count. `recall` names accounts whose idle blocks
 * others need, or whose spending must be reported.
 */
export const syncLeases = defineCall({
  service: 'billing',
  name: 'sync-leases',
  input: z.object({
    replicaEpoch: z.string(),
    /** The number of the last reply. */
    beats: z.int().nonnegative().default(0),
    accounts: z
      .array(
        z.object({
          kind: fundKind,
          id,
          /** Replicas of the previous version do not send it. */
          granted: units.nonnegative().optional(),
          returned: units.nonnegative(),
          used,
        }),
      )
      .max(mostReportedAccounts),
    /** Epochs whose spools this replica has adopted and sent to the event log completely: their leases need not wait for the time-out. */
    recovered: z.array(z.string()).max(mostRecovered).default([]),
  }),
  output: z.object({
    /** False if billing has no such epoch any more: the replica must start a new one. */
    alive: z.boolean(),
    /**
     * How many heartbeats of the epoch are stored. It grows with each of them, unless the database has lost the last ones: then the replica
     * reports all its accounts again. Absent from billing of the previous version.
     */
    beats: z.int().optional(),
    /** What was lent of the named accounts beyond what the replica reported: it never got the reply to a request. */
    lent: z.array(z.object({ kind: fundKind, id, granted: units })).default([]),
    recall: z.array(z.object({ kind: fundKind, id })),
  }),
});

/** An immutable set of prices; the numbers are the option tables as published. */
export const priceDocumentSchema = z.object({
  id: z.string(),
  modelRatio: z.record(z.string(), z.number()),
  completionRatio: z.record(z.string(), z.number()),
  modelPrice: z.record(z.string(), z.number()),
  cacheRatio: z.record(z.string(), z.number()),
  imageRatio: z.record(z.string(), z.number()),
  groupRatio: z.record(z.string(), z.number()),
  /** User's group → request's group → ratio that replaces the latter's own. Absent if there is none. */
  groupGroupRatio: z.record(z.string(), z.record(z.string(), z.number())).optional(),
  /** Price of an audio token of a realtime session whose model's name says none. Absent in versions from before it was charged. */
  realtimeAudioRatio: z.number().optional(),
  quotaPerUnit: z.number(),
});
export type PriceDocument = z.infer<typeof priceDocumentSchema>;

/** The version in force, or the one with this `id`. */
export const getPrices = defineCall({
  service: 'billing',
  isSource: true,
  name: 'get-prices',
  input: z.object({ id: z.string().optional() }),
  output: z.object({ revision: z.int(), document: priceDocumentSchema.nullable() }),
});

/** Publishes the prices of the options in force at once, so that an administrator who saved them is charged by them in the next call. */
export const publishPrices = defineCall({
  service: 'billing',
  isSource: true,
  name: 'publish-prices',
  input: z.object({}),
  output: z.object({ revision: z.int() }),
});

/** Current revisions, and the tokens changed after `tokensSince`. */
export const pollBilling = defineCall({
  service: 'billing',
  isSource: true,
  name: 'poll',
  input: z.object({ tokensSince: z.int().nonnegative() }),
  output: z.object({
    priceRevision: z.int(),
    tokenRevision: z.int(),
    changedTokenIds: z.array(id),
    complete: z.boolean(),
  }),
});

/** The most event ids that billing is asked about in one call. */
export const mostUnbooked = 5000;

/**
 * Which of these event ids are not settled yet by a booking or the quarantine. The relay uses this to delete spool segments; usually few or
 * none are.
 */
export const listUnbooked = defineCall({
  service: 'billing',
  name: 'list-unbooked',
  input: z.object({ ids: z.array(z.uuid()).max(mostUnbooked) }),
  output: z.object({ unbooked: z.array(z.uuid()) }),
});
