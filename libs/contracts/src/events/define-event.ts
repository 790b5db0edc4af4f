import { z } from 'zod';

/**
 * A fact one service publishes and others consume. `name` is the topic without its prefix.
 * Adding an optional field keeps `version`; anything else is a new version with an `upcast`.
 */
export interface EventContract<Name extends string = string, Data extends z.ZodType = z.ZodType> {
  name: Name;
  /** What happened, in a sentence, for the catalogue. */
  summary: string;
  version: number;
  /** 3 unless stated; the same on Kafka and on the table. */
  partitions: number;
  data: Data;
  /** Events with the same key stay in order. */
  key(data: z.output<Data>): string;
  /** Cuts what clients, upstreams and administrators may make as long as they like; applied where the event is made. */
  bound?(data: z.output<Data>): z.output<Data>;
  /** Lifts data of an older version to the current one. */
  upcast?(data: unknown, version: number): unknown;
  /** Words of a later release put into general ones of this release, so that its events are read and not put aside. */
  understood?(data: unknown): unknown;
}

/** Declares an event; topics have three partitions unless it says otherwise. */
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
  /** Of the request that caused it, by the extension for distributed tracing. */
  traceparent: z.string().optional(),
  data: z.unknown(),
});
export type EventEnvelope = z.infer<typeof envelopeSchema>;

export type EventOf<C extends EventContract> = Omit<EventEnvelope, 'data'> & { data: z.output<C['data']> };
export type EventBatch<C extends EventContract> = readonly EventOf<C>[];
