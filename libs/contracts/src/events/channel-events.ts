import { z } from 'zod';
import { defineEvent } from './define-event.js';

const channelId = z.int().positive();
const byChannel = (data: { channelId: number }): string => String(data.channelId);

/** Anything of a channel changed that routing cares about, or the channel was deleted. */
export const channelChanged = defineEvent({
  name: 'channel-changed',
  version: 1,
  key: byChannel,
  data: z.object({ channelId, revision: z.int().nonnegative() }),
});

/** A channel left the routing by itself; `reason` is masked and meant for administrators. */
export const channelDisabled = defineEvent({
  name: 'channel-disabled',
  version: 1,
  key: byChannel,
  data: z.object({
    channelId,
    name: z.string(),
    automatic: z.boolean(),
    reason: z.string(),
    evidence: z
      .object({
        status: z.int(),
        errorCode: z.string().optional(),
        errorType: z.string().optional(),
        requestId: z.string().optional(),
      })
      .optional(),
  }),
});

export const channelEnabled = defineEvent({
  name: 'channel-enabled',
  version: 1,
  key: byChannel,
  data: z.object({ channelId, name: z.string(), automatic: z.boolean() }),
});

export const channelTested = defineEvent({
  name: 'channel-tested',
  version: 1,
  key: byChannel,
  data: z.object({
    channelId,
    model: z.string(),
    success: z.boolean(),
    responseTimeMs: z.int().nonnegative(),
    message: z.string(),
  }),
});
