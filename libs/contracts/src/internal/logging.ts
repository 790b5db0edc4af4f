import { z } from 'zod';
import { usageSourceSchema } from '../events/request-consumed.js';
import { invoiceRequestSchema } from '../api/invoice.js';
import { logSchema } from '../api/log.js';
import { defineCall } from './define-call.js';

/** A channel's attempts in one hour: success rate = 1 − failures ÷ requests. */
export const channelHourSchema = z.object({
  channelId: z.int().positive(),
  /** Start of the hour, Unix seconds. */
  hour: z.int(),
  requests: z.int(),
  /** Only failures that the channel is responsible for: neither clients that left nor requests that the upstream called invalid. */
  failures: z.int(),
  /** 95th percentile of the time to the first token of streams; absent without streams. */
  firstTokenP95Ms: z.int().optional(),
  /** Median of the time to the first token. */
  firstTokenP50Ms: z.int().optional(),
  /** Mean duration of complete answers; absent without any. */
  durationMs: z.int().optional(),
});
export type ChannelHour = z.infer<typeof channelHourSchema>;

/** Hours that start between both bounds, inclusive, oldest first; of all channels if no ids are given. */
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

/** Digest of the usage log's requests with ids from the first (inclusive) to the second (exclusive); see `requestDigest` in `libs/database`. */
export const digestRequests = defineCall({
  service: 'logging',
  name: 'digest-requests',
  input: z.object({ fromId: z.guid(), toId: z.guid() }),
  output: z.object({
    requests: z.string(),
    units: z.string(),
    digest: z.string(),
    /** False if rows were intentionally omitted from the log or cleared. */
    isComparable: z.boolean(),
  }),
});

/** Position of an event in the event log. */
const eventPlaceSchema = z.object({ topic: z.string(), partition: z.int(), offset: z.int() });

/**
 * The row of a request or movement of any type; null if there is none, e.g. because its log was cleared. `place` is the position of a
 * movement's event; null for requests, whose positions are in the journal, and if unknown, as for rows of an earlier release.
 */
export const findRequest = defineCall({
  service: 'logging',
  name: 'find-request',
  input: z.object({ requestId: z.uuid() }),
  output: z.object({ log: logSchema.nullable(), place: eventPlaceSchema.nullable().default(null) }),
});

/** Who last changed one of these subjects before a time, by the audit log; null if there was no change. */
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
/** IANA name of the time zone that delimits days. */
const zone = z.enum(['UTC', 'America/Los_Angeles']);
const dayText = z.iso.date();

/** Token sums of requests by channel, day of admission and model name sent upstream; cached tokens are part of the input. */
export const sumChannelUsage = defineCall({
  service: 'logging',
  name: 'sum-channel-usage',
  input: z.object({ channelIds, firstDay: dayText, lastDay: dayText, zone }),
  output: z.object({
    sums: z.array(
      z.object({
        channelId: z.int(),
        day: z.string(),
        /** The requested name and the name sent upstream. */
        model: z.string(),
        sent: z.string(),
        source: usageSourceSchema,
        requests: z.int(),
        input: z.int(),
        cached: z.int(),
        output: z.int(),
      }),
    ),
    /** False if rows were intentionally omitted from the log, or cleared before they were summed. */
    isComplete: z.boolean(),
  }),
});

/** Requests of a day whose count by the upstream may differ from the booked one, with the reason; largest first. */
export const listDoubtfulRequests = defineCall({
  service: 'logging',
  name: 'list-doubtful-requests',
  input: z.object({
    channelIds,
    day: dayText,
    zone,
    /** Model names as sent upstream. */
    models: z.array(z.string().max(300)).max(1000),
    limit: z.int().positive().max(500),
  }),
  output: z.object({
    requests: z.array(invoiceRequestSchema),
    total: z.int(),
    /** False if rows were intentionally omitted from the log or cleared, so that some requests have no row. */
    isComplete: z.boolean().default(true),
  }),
});
