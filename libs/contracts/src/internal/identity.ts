import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();

/** What other services may see of a user; never a credential. */
export const userRecordSchema = z.object({
  id,
  username: z.string(),
  displayName: z.string(),
  role: z.int(),
  status: z.int(),
  group: z.string(),
  /** Increased by every change that ends all of the user's sessions. */
  sessionVersion: z.int(),
  quotaWarningThreshold: z.number().optional(),
  /** False for a user without an address for notices; otherwise absent. */
  canBeNotified: z.boolean().optional(),
  acceptUnsetModelRatio: z.boolean(),
  /** Absent if none is set up. */
  secondFactor: z.boolean().optional(),
  revision: z.int(),
});
export type UserRecord = z.infer<typeof userRecordSchema>;

/** Deleted and unknown users are omitted from the reply. */
export const resolveUsers = defineCall({
  service: 'identity',
  name: 'resolve-users',
  input: z.object({ ids: z.array(id).max(1000) }),
  output: z.object({ users: z.array(userRecordSchema) }),
});

/** Names for log rows, including deleted users. */
export const nameUsers = defineCall({
  service: 'identity',
  name: 'name-users',
  input: z.object({ ids: z.array(id).max(1000) }),
  output: z.object({ names: z.record(z.string(), z.string()) }),
});

/** The owner of a system access token; null if it is unknown or its owner is deleted. */
export const resolveAccessToken = defineCall({
  service: 'identity',
  name: 'resolve-access-token',
  input: z.object({ accessToken: z.string().max(200) }),
  output: z.object({ userId: id.nullable() }),
});

/** All overrides of options, including secrets, and the revision of the table. */
export const getOptions = defineCall({
  service: 'identity',
  isSource: true,
  name: 'get-options',
  input: z.object({}),
  output: z.object({ revision: z.int(), values: z.record(z.string(), z.string()) }),
});

/**
 * Current revisions, and the users changed after `usersSince`. `complete` is false if the list was cut; all cached users must then be
 * discarded.
 */
export const pollIdentity = defineCall({
  service: 'identity',
  isSource: true,
  name: 'poll',
  input: z.object({ usersSince: z.int().nonnegative() }),
  output: z.object({
    optionRevision: z.int(),
    userRevision: z.int(),
    changedUserIds: z.array(id),
    complete: z.boolean(),
  }),
});
