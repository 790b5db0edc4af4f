import { z } from 'zod';

/**
 * A fact that one service publishes and others consume. `name` is the topic without its prefix. Adding an optional field keeps `version`;
 * any other change is a new version with an `upcast`.
 */
export interface EventContract<Name extends string = string, Data extends z.ZodType = z.ZodType> {
  name: Name;
  /** One sentence about what happened, for the event catalogue. */
  summary: string;
  version: number;
  /** Number of partitions, 3 by default; the same for Kafka and the table log. */
  partitions: number;
  data: Data;
  /** Partition key: events with the same key stay in order. */
  key(data: z.output<Data>): string;
  /** Cuts texts of unlimited length from clients, upstreams and administrators; applied when the event is created. */
  bound?(data: z.output<Data>): z.output<Data>;
  /** Converts data of an older version to the current one. */
  upcast?(data: unknown, version: number): unknown;
  /** Replaces enum values of later releases with general ones of this release, so that such events are consumed instead of quarantined. */
  understood?(data: unknown): unknown;
}

/** Declares an event; topics have three partitions by default. */
export function defineEvent<const Name extends string, Data extends z.ZodType>(
  contract: Omit<EventContract<Name, Data>, 'partitions'> & { partitions?: number },
): EventContract<Name, Data> {
  return { partitions: 3, ...contract };
}

/** CloudEvents 1.0: `type` = name, `source` = service, `subject` = key. */
export const envelopeSchema = z.object({
  specversion: z.literal('1.0'),
  id: z.uuid(),
  type: z.string(),
  source: z.string(),
  subject: z.string(),
  time: z.iso.datetime(),
  datacontenttype: z.literal('application/json'),
  dataversion: z.int().positive(),
  /** Trace of the request that caused the event, by CloudEvents' extension for distributed tracing. */
  traceparent: z.string().optional(),
  data: z.unknown(),
});
export type EventEnvelope = z.infer<typeof envelopeSchema>;

export type EventOf<C extends EventContract> = Omit<EventEnvelope, 'data'> & { data: z.output<C['data']> };
export type EventBatch<C extends EventContract> = readonly EventOf<C>[];
