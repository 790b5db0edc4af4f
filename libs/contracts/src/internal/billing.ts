import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();
const units = z.int();

/** Opens a wallet once, with the gifts of the options in force; a repeat changes nothing. Answers before the user can log in. */
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

/** What the spec shows of a user's money: `quota` = credit − spent, `usedQuota` = booked consumption. */
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

/** One row per id asked for, also for an account that is not open yet (zeros are then the truth). */
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
  /** Of the request that the command stands for. */
  fingerprint: z.string().min(8).max(128).optional(),
  /** What the same command is called under secret keys that are being replaced. */
  former: z
    .array(z.object({ commandId: z.string().min(8).max(200), fingerprint: z.string().min(8).max(128) }))
    .max(10)
    .optional(),
  reason: z.string().max(200).optional(),
});
export type QuotaAdjustment = z.infer<typeof adjustment>;
const adjusted = z.object({ before: units, after: units });

/**
 * Sets the shown quota (`quota`) or changes it by `delta`; one posting, idempotent by `commandId`. With a `fingerprint` of the
 * request the id is one for all users, and another request under it is refused with `idempotency-key-reused`. `former` are the names that the
 * same command has under secret keys that are being replaced: what was posted under one of them is answered again.
 */
export const adjustQuota = defineCall({
  service: 'billing',
  name: 'adjust-quota',
  input: adjustment.extend({
    /** Of callers that do not know `ask-adjustment` yet: the same. */
    asksOnly: z.boolean().optional(),
  }),
  output: adjusted,
});

/**
 * What the same `adjust-quota` would do. Moves nothing: lays a request down, and refuses with `approval-required`, where somebody else has
 * to agree first. A call of its own, which a billing that does not know it refuses instead of moving something.
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

/** A token as the relay needs it; quota texts are for messages only, admission is by lease. */
export const tokenRecordSchema = z.object({
  id,
  userId: id,
  /** HMAC of the 48-character key, hex. */
  keyHash: z.string(),
  /** First and last three characters, for messages: `abc***xyz`. */
  keyHint: z.string(),
  name: z.string(),
  status: z.int(),
  /** Unix seconds; −1 = never. */
  expiredTime: z.int(),
  unlimitedQuota: z.boolean(),
  remainQuota: units,
  usedQuota: units,
  modelLimitsEnabled: z.boolean(),
  modelLimits: z.array(z.string()),
  /** Addresses and CIDR ranges; empty = no restriction. */
  allowIps: z.array(z.string()),
  /** Empty = the user's group. */
  group: z.string(),
  revision: z.int(),
});
export type TokenRecord = z.infer<typeof tokenRecordSchema>;

/** Unknown and deleted tokens are absent. */
export const resolveTokens = defineCall({
  service: 'billing',
  name: 'resolve-tokens',
  input: z.object({ keyHashes: z.array(z.string()).max(1000).default([]), ids: z.array(id).max(1000).default([]) }),
  output: z.object({ tokens: z.array(tokenRecordSchema) }),
});

/** Names for log rows, deleted tokens included. */
export const nameTokens = defineCall({
  service: 'billing',
  name: 'name-tokens',
  input: z.object({ ids: z.array(id).max(1000) }),
  output: z.object({ names: z.record(z.string(), z.string()) }),
});

/**
 * One block request: the wallet of a user and, when `tokenId` > 0, the budget of a token, together or not at all.
 * `need` is what this replica lacks for the hold it wants to place now. Counters are cumulative for (account, replica epoch),
 * so a repeat after a timed-out call is harmless.
 */
const leaseCountersSchema = z.object({ granted: units.nonnegative(), returned: units.nonnegative() });
/** What of its own has been spent, booked or not; a replica of the version before does not say. */
const used = units.nonnegative().default(0);
const ownCountersSchema = leaseCountersSchema.extend({ used });
export const acquireLeases = defineCall({
  service: 'billing',
  name: 'acquire-leases',
  input: z.object({
    replicaEpoch: z.string(),
    requests: z
      .array(
        z.object({
          userId: id,
          /** 0: no token budget (playground or unlimited token). */
          tokenId: z.int().nonnegative(),
          walletNeed: units.nonnegative(),
          tokenNeed: units.nonnegative(),
          /** What the replica believes it has been granted and has returned, and what it has spent. */
          wallet: ownCountersSchema,
          token: ownCountersSchema,
        }),
      )
      .max(1000),
  }),
  output: z.object({
    /** False when this epoch has expired: every outcome is then `unknown`, and the replica must start a new epoch. */
    alive: z.boolean(),
    results: z.array(
      z.object({
        /** `busy`: refused only because of quota other leases hold; `short`: refused outright; both leave everything as it was. */
        outcome: z.enum(['granted', 'busy', 'short-wallet', 'short-token', 'unknown']),
        wallet: leaseCountersSchema,
        token: leaseCountersSchema,
        /** credit − spent − held before this request: the most that could be granted now, for an exclusive last hold and for messages. */
        walletAvailable: units,
        tokenAvailable: units,
        /** credit − spent, the shown balances. */
        walletQuota: units,
        tokenQuota: units,
        /** What other replicas have of each and have not spent, as far as they said: worth waiting for. */
        walletElsewhere: units,
        tokenElsewhere: units,
      }),
    ),
  }),
});

/**
 * Heartbeat and return in one: cumulative `returned` and `used` per account; `recall` names accounts whose idle blocks others need,
 * or to know what of them is spent.
 */
export const syncLeases = defineCall({
  service: 'billing',
  name: 'sync-leases',
  input: z.object({
    replicaEpoch: z.string(),
    accounts: z
      .array(z.object({ kind: z.enum(['wallet', 'token']), id, returned: units.nonnegative(), used }))
      .max(5000),
    /** Epochs whose spools this replica has adopted and sent to the event log whole: their leases need not wait for a time-out. */
    recovered: z.array(z.string()).max(1000).default([]),
  }),
  output: z.object({
    /** False when billing does not know this epoch any more: the replica must start a new epoch. */
    alive: z.boolean(),
    recall: z.array(z.object({ kind: z.enum(['wallet', 'token']), id })),
  }),
});

/** An immutable set of prices. Numbers are the option tables as published. */
export const priceDocumentSchema = z.object({
  id: z.string(),
  modelRatio: z.record(z.string(), z.number()),
  completionRatio: z.record(z.string(), z.number()),
  modelPrice: z.record(z.string(), z.number()),
  cacheRatio: z.record(z.string(), z.number()),
  imageRatio: z.record(z.string(), z.number()),
  groupRatio: z.record(z.string(), z.number()),
  /** Group of a user → group of a request → ratio in the place of that group's own. Absent where there is none. */
  groupGroupRatio: z.record(z.string(), z.record(z.string(), z.number())).optional(),
  quotaPerUnit: z.number(),
});
export type PriceDocument = z.infer<typeof priceDocumentSchema>;

/** The version in force, or the one named by `id`. */
export const getPrices = defineCall({
  service: 'billing',
  isSource: true,
  name: 'get-prices',
  input: z.object({ id: z.string().optional() }),
  output: z.object({ revision: z.int(), document: priceDocumentSchema.nullable() }),
});

/** Puts the prices of the options in force now, for whoever saved them and calls a model next. */
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

/** Which of these event ids are not settled yet, by a booking or by the quarantine: the relay drops spool segments by it, and few or none is the usual answer. */
export const listUnbooked = defineCall({
  service: 'billing',
  name: 'list-unbooked',
  input: z.object({ ids: z.array(z.uuid()).max(5000) }),
  output: z.object({ unbooked: z.array(z.uuid()) }),
});
