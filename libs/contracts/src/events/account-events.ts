import { z } from 'zod';
import type { AuditAction } from '../audit-actions.js';
import { defineEvent } from './define-event.js';
import { type RecordLimits, withinLimits, withinRecord } from './limits.js';

const userId = z.int().positive();
const byUser = (data: { userId: number }): string => String(data.userId);

export const quotaGranted = defineEvent({
  name: 'quota-granted',
  summary:
    'Quota came into a wallet without a payment; the reward of an inviter goes to the affiliate balance instead.',
  version: 1,
  key: byUser,
  data: z.object({
    userId,
    code: z.enum(['setup-grant', 'new-user-gift', 'invitee-gift', 'inviter-reward', 'affiliate-transfer']),
    quota: z.int().positive(),
    /** The amount as displayed in log texts at the time of the posting, e.g. `＄1.000000 额度`. */
    quotaText: z.string(),
  }),
});

export const quotaAdjusted = defineEvent({
  name: 'quota-adjusted',
  summary: 'An administrator changed a wallet; both amounts are what the user saw before and after.',
  version: 1,
  key: byUser,
  data: z.object({
    userId,
    actorId: userId,
    before: z.int(),
    after: z.int(),
    beforeText: z.string(),
    afterText: z.string(),
  }),
});

export const redemptionRedeemed = defineEvent({
  name: 'redemption-redeemed',
  summary: 'A user redeemed a code, and its quota is in the wallet.',
  version: 1,
  key: byUser,
  data: z.object({ userId, redemptionId: z.int().positive(), quota: z.int().positive(), quotaText: z.string() }),
});

/** An order by ids and amounts; `money` is an exact decimal in `currency`. */
const paidOrder = z.object({
  userId,
  orderId: z.int().positive(),
  tradeNo: z.string(),
  provider: z.enum(['epay', 'stripe']),
  method: z.string(),
  quota: z.int().positive(),
  quotaText: z.string(),
  money: z.string(),
  currency: z.string(),
});

export const topUpCompleted = defineEvent({
  name: 'top-up-completed',
  summary: 'A payment provider confirmed an order, and its quota is in the wallet.',
  version: 1,
  key: byUser,
  data: paidOrder,
});

export const topUpRefunded = defineEvent({
  name: 'top-up-refunded',
  summary: 'An administrator took the quota of a paid order back out of the wallet.',
  version: 1,
  key: byUser,
  data: paidOrder.extend({ actorId: userId, reason: z.string() }),
});

export const quotaLow = defineEvent({
  name: 'quota-low',
  summary: "The wallet fell below the user's warning threshold; at most once in two hours per user.",
  version: 1,
  key: byUser,
  data: z.object({ userId, quota: z.int(), threshold: z.int() }),
});

export const tokenChanged = defineEvent({
  name: 'token-changed',
  summary: 'A token was made, edited, deleted, or ran out. Consumers ask the owner for its state.',
  version: 1,
  key: byUser,
  data: z.object({ userId, tokenId: z.int().positive(), revision: z.int().nonnegative() }),
});

export const pricePublished = defineEvent({
  name: 'price-published',
  summary: 'A new immutable price version is in force.',
  version: 1,
  key: () => 'price',
  data: z.object({
    priceVersion: z.string(),
    revision: z.int().nonnegative(),
    /** When the version came into force, and when its prices first did, by the clock of the database. */
    publishedAt: z.iso.datetime().optional(),
    mintedAt: z.iso.datetime().optional(),
  }),
});

export const userRegistered = defineEvent({
  name: 'user-registered',
  summary: 'An account was opened.',
  version: 1,
  key: byUser,
  data: z.object({ userId, inviterId: z.int().nonnegative(), kind: z.enum(['setup', 'register', 'admin', 'oauth']) }),
});

export const userChanged = defineEvent({
  name: 'user-changed',
  summary: 'Role, status, group, name, setting or password of a user changed, or the user was deleted.',
  version: 1,
  key: byUser,
  data: z.object({ userId, revision: z.int().nonnegative() }),
});

export const userErased = defineEvent({
  name: 'user-erased',
  summary:
    'What names a person was taken away for good. Every service puts the pseudonym in the place of names and drops what else tells who it was; numbers stay.',
  version: 1,
  key: byUser,
  data: z.object({ userId, pseudonym: z.string() }),
});

export const optionChanged = defineEvent({
  name: 'option-changed',
  summary: 'A system option has a new value. Consumers ask the owner for it.',
  version: 1,
  key: (data) => data.key,
  data: z.object({ key: z.string(), revision: z.int().nonnegative() }),
});

export const setupCompleted = defineEvent({
  name: 'setup-completed',
  summary: 'The system was set up for the first time.',
  version: 1,
  key: () => 'setup',
  data: z.object({ rootUserId: userId, mode: z.enum(['external', 'self', 'demo']) }),
});

/** Enough for a complete table of prices; two such records are still smaller than the event log's limit. */
const changedLimits: RecordLimits = { members: 100, name: 100, value: 64_000, sum: 80_000 };

export const adminAction = defineEvent({
  name: 'admin-action',
  summary: 'An administrator changed something, or a user a token; `before` and `after` never carry secrets.',
  version: 1,
  key: (data) => String(data.actorId),
  bound: (data) => ({
    ...withinLimits(data, { action: 100, subject: 256, text: 4000 }),
    ...(data.before && { before: withinRecord(data.before, changedLimits) }),
    ...(data.after && { after: withinRecord(data.after, changedLimits) }),
  }),
  data: z.object({
    actorId: userId,
    /** No user was signed in, as on a command line; `actorId` is then the user concerned. */
    unattended: z.boolean().optional(),
    /** The type is for those who write it. A reader takes any text, because a later release may have more actions. */
    action: z.string() as z.ZodType<AuditAction, string>,
    subject: z.string(),
    /** The user to whom a log row of type 3 is shown, and its text, if the documentation names one. */
    userId: userId.optional(),
    text: z.string().optional(),
    before: z.record(z.string(), z.unknown()).optional(),
    after: z.record(z.string(), z.unknown()).optional(),
  }),
});
