import { z } from 'zod';
import { usageSourceSchema } from '../events/request-consumed.js';
import { invoiceRequestSchema } from '../api/invoice.js';
import { logSchema } from '../api/log.js';
import { defineCall } from './define-call.js';

/** What became of a channel's attempts in one hour: success rate = 1 − failures ÷ requests. */
export const channelHourSchema = z.object({
  channelId: z.int().positive(),
  /** Start of the hour, Unix seconds. */
  hour: z.int(),
  requests: z.int(),
  /** Only what the channel is to blame for: neither clients that left nor requests the upstream called invalid. */
  failures: z.int(),
  /** 95 % of the streams had their first token by then; absent without streams. */
  firstTokenP95Ms: z.int().optional(),
  /** Half of them had it by then. */
  firstTokenP50Ms: z.int().optional(),
  /** Mean of what was answered whole; absent without any. */
  durationMs: z.int().optional(),
});
export type ChannelHour = z.infer<typeof channelHourSchema>;

/** Hours that start between both bounds, inclusive, oldest first; without ids of all channels. */
export const listChannelHours = defineCall({
  service: 'logging',
  name: 'list-channel-hours',
  input: z.object({
    channelIds: z.array(z.int().positive()).max(1000).default([]),
    from: z.int().nonnegative(),
    to: z.int().nonnegative(),
  }),
  output: z.object({ hours: z.array(channelHourSchema) }),
});

/** Requests with ids from the one, inside, to the other, outside, as the usage log has them; see `requestDigest` in the chassis. */
export const digestRequests = defineCall({
  service: 'logging',
  name: 'digest-requests',
  input: z.object({ fromId: z.guid(), toId: z.guid() }),
  output: z.object({
    requests: z.string(),
    units: z.string(),
    digest: z.string(),
    /** False where rows are left out of the log, or were cleared, on purpose. */
    isComparable: z.boolean(),
  }),
});

/** Where an event lies in the log. */
const eventPlaceSchema = z.object({ topic: z.string(), partition: z.int(), offset: z.int() });

/**
 * The row of a request or of a movement, whatever its type; null when there is none, as where its log was cleared. `place`: of the event of a
 * movement; null for requests, whose places the journal has, and where it is not known, as by a release before.
 */
export const findRequest = defineCall({
  service: 'logging',
  name: 'find-request',
  input: z.object({ requestId: z.uuid() }),
  output: z.object({ log: logSchema.nullable(), place: eventPlaceSchema.nullable().default(null) }),
});

/** Who last changed one of these subjects before a moment, as the audit log knows it; null when nobody did. */
export const findChange = defineCall({
  service: 'logging',
  name: 'find-change',
  input: z.object({
    subjects: z.array(z.string().max(256)).min(1).max(100),
    action: z.string().max(100),
    /** Unix milliseconds. */
    before: z.int(),
  }),
  output: z.object({
    change: z.object({ actorId: z.int().nullable(), subject: z.string(), happenedAt: z.int() }).nullable(),
  }),
});

const channelIds = z.array(z.int().positive()).min(1).max(200);
/** IANA name of the clock that days go by. */
const zone = z.enum(['UTC', 'America/Los_Angeles']);
const dayText = z.iso.date();

/** Tokens of requests by channel, the day at which they were admitted and the name that was sent upstream; cached ones are part of the input. */
export const sumChannelUsage = defineCall({
  service: 'logging',
  name: 'sum-channel-usage',
  input: z.object({ channelIds, firstDay: dayText, lastDay: dayText, zone }),
  output: z.object({
    sums: z.array(
      z.object({
        channelId: z.int(),
        day: z.string(),
        /** As it was asked for, and as it was sent. */
        model: z.string(),
        sent: z.string(),
        source: usageSourceSchema,
        requests: z.int(),
        input: z.int(),
        cached: z.int(),
        output: z.int(),
      }),
    ),
    /** False where rows are left out of the log on purpose, or were cleared and not summed before. */
    isComplete: z.boolean(),
  }),
});

/** Requests of a day whose count by the upstream may be another than what was booked, and why; the largest first. */
export const listDoubtfulRequests = defineCall({
  service: 'logging',
  name: 'list-doubtful-requests',
  input: z.object({
    channelIds,
    day: dayText,
    zone,
    /** Names as they were sent. */
    models: z.array(z.string().max(300)).max(1000),
    limit: z.int().positive().max(500),
  }),
  output: z.object({
    requests: z.array(invoiceRequestSchema),
    total: z.int(),
    /** False where rows are left out of the log, or were cleared, on purpose: some of the requests have no row any more. */
    isComplete: z.boolean().default(true),
  }),
});
