import { z } from 'zod';
import { defineEvent } from './define-event.js';

const userId = z.int().positive();
const byUser = (data: { userId: number }): string => String(data.userId);

/** Quota came into a wallet without a payment. `quota` in units; the reward of an inviter goes to the affiliate balance instead. */
export const quotaGranted = defineEvent({
  name: 'quota-granted',
  version: 1,
  key: byUser,
  data: z.object({
    userId,
    code: z.enum(['setup-grant', 'new-user-gift', 'invitee-gift', 'inviter-reward', 'affiliate-transfer']),
    quota: z.int().positive(),
    /** How the amount reads in log texts at the time of the posting, e.g. `＄1.000000 额度`. */
    quotaText: z.string(),
  }),
});

/** An administrator changed a wallet; both amounts are what the user saw before and after. */
export const quotaAdjusted = defineEvent({
  name: 'quota-adjusted',
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

/** The wallet fell below the user's warning threshold; at most once in two hours per user. */
export const quotaLow = defineEvent({
  name: 'quota-low',
  version: 1,
  key: byUser,
  data: z.object({ userId, quota: z.int(), threshold: z.int() }),
});

/** A token was made, edited, deleted, or ran out. Consumers ask the owner for its state. */
export const tokenChanged = defineEvent({
  name: 'token-changed',
  version: 1,
  key: byUser,
  data: z.object({ userId, tokenId: z.int().positive(), revision: z.int().nonnegative() }),
});

/** A new immutable price version is in force. */
export const pricePublished = defineEvent({
  name: 'price-published',
  version: 1,
  key: () => 'price',
  data: z.object({ priceVersion: z.string(), revision: z.int().nonnegative() }),
});

export const userRegistered = defineEvent({
  name: 'user-registered',
  version: 1,
  key: byUser,
  data: z.object({ userId, inviterId: z.int().nonnegative(), kind: z.enum(['setup', 'register', 'admin', 'oauth']) }),
});

/** Role, status, group, name, setting or password of a user changed, or the user was deleted. */
export const userChanged = defineEvent({
  name: 'user-changed',
  version: 1,
  key: byUser,
  data: z.object({ userId, revision: z.int().nonnegative() }),
});

export const optionChanged = defineEvent({
  name: 'option-changed',
  version: 1,
  key: (data) => data.key,
  data: z.object({ key: z.string(), revision: z.int().nonnegative() }),
});

export const setupCompleted = defineEvent({
  name: 'setup-completed',
  version: 1,
  key: () => 'setup',
  data: z.object({ rootUserId: userId, mode: z.enum(['external', 'self', 'demo']) }),
});

/** An administrator changed something; `before` and `after` never carry secrets. */
export const adminAction = defineEvent({
  name: 'admin-action',
  version: 1,
  key: (data) => String(data.actorId),
  data: z.object({
    actorId: userId,
    action: z.string(),
    subject: z.string(),
    /** The user a log row of type 3 is shown to, and its text, where the documents name one. */
    userId: userId.optional(),
    text: z.string().optional(),
    before: z.record(z.string(), z.unknown()).optional(),
    after: z.record(z.string(), z.unknown()).optional(),
  }),
});
