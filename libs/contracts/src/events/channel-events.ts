import { z } from 'zod';
import { defineEvent } from './define-event.js';
import { withinLimits } from './limits.js';
import { usageSchema } from './request-consumed.js';

const channelId = z.int().positive();
/** Limits for texts of upstreams and administrators, applied when the event is created. */
const texts = {
  name: 256,
  model: 256,
  reason: 1000,
  message: 1000,
  evidence: { errorCode: 128, errorType: 128, requestId: 64 },
  answer: { upstreamModel: 256 },
};
const byChannel = (data: { channelId: number }): string => String(data.channelId);

export const channelChanged = defineEvent({
  name: 'channel-changed',
  summary: 'Anything of a channel changed that routing cares about, or the channel was deleted.',
  version: 1,
  key: byChannel,
  data: z.object({ channelId, revision: z.int().nonnegative() }),
});

export const channelDisabled = defineEvent({
  name: 'channel-disabled',
  summary: 'A channel left the routing; `reason` is masked and meant for administrators.',
  version: 1,
  key: byChannel,
  bound: (data) => withinLimits(data, texts),
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
  summary: 'A channel is back in the routing.',
  version: 1,
  key: byChannel,
  data: z.object({ channelId, name: z.string(), automatic: z.boolean() }),
});

export const channelTestsFinished = defineEvent({
  name: 'channel-tests-finished',
  summary: 'A test of all channels came to its end.',
  version: 1,
  key: () => 'all',
  data: z.object({
    tested: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    /** Started by the schedule, so no caller waits for the result. */
    scheduled: z.boolean().optional(),
  }),
});

export const channelTested = defineEvent({
  name: 'channel-tested',
  summary: 'A channel was tested.',
  version: 1,
  key: byChannel,
  bound: (data) => withinLimits(data, texts),
  data: z.object({
    channelId,
    model: z.string(),
    success: z.boolean(),
    responseTimeMs: z.int().nonnegative(),
    message: z.string(),
    /** What the usage log shows of a passed test; absent for a failed one, and for tests of releases without such rows. */
    answer: z
      .object({
        upstreamModel: z.string(),
        /** Absent if the upstream stated none. */
        usage: usageSchema.optional(),
      })
      .optional(),
  }),
});
