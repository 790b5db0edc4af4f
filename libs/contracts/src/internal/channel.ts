import { keyModes } from '../channel-settings.js';
import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();

/** A channel as the relay needs it, including the key: only for internal calls, never logged. */
export const routedChannelSchema = z.object({
  id,
  name: z.string(),
  type: z.int(),
  key: z.string(),
  /** For a channel with several keys: how one is chosen, and the keys in use, of which `key` is the first. */
  keyMode: z.enum(keyModes).optional(),
  keys: z.array(z.object({ id: z.string(), key: z.string() })).optional(),
  /** Empty for the type's default address. */
  baseUrl: z.string(),
  organization: z.string(),
  other: z.string(),
  models: z.array(z.string()),
  groups: z.array(z.string()),
  priority: z.int(),
  weight: z.int().nonnegative(),
  status: z.int(),
  autoBan: z.boolean(),
  modelMapping: z.record(z.string(), z.string()),
  statusCodeMapping: z.record(z.string(), z.string()),
  paramOverride: z.record(z.string(), z.unknown()),
  setting: z.record(z.string(), z.unknown()),
});
export type RoutedChannel = z.infer<typeof routedChannelSchema>;

/** All channels, including disabled ones, because an administrator's key may select one. */
export const getRouting = defineCall({
  service: 'channel',
  isSource: true,
  name: 'get-routing',
  input: z.object({}),
  output: z.object({ revision: z.int(), channels: z.array(routedChannelSchema) }),
});

/** Distinct (group, model) pairs with an enabled ability. */
export const getAbilities = defineCall({
  service: 'channel',
  isSource: true,
  name: 'get-abilities',
  input: z.object({}),
  output: z.object({ revision: z.int(), abilities: z.array(z.object({ group: z.string(), model: z.string() })) }),
});

export const nameChannels = defineCall({
  service: 'channel',
  name: 'name-channels',
  input: z.object({ ids: z.array(id).max(1000) }),
  output: z.object({ names: z.record(z.string(), z.string()) }),
});

export const pollChannel = defineCall({
  service: 'channel',
  isSource: true,
  name: 'poll',
  input: z.object({}),
  output: z.object({ routingRevision: z.int() }),
});
