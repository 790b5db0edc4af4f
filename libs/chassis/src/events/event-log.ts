import type { EventEnvelope } from '@tollgate/contracts';
import { storableJson } from './storable.js';

/** A record of the log: the serialised CloudEvent under its key. The same bytes travel in spool, outbox and log. */
export interface LogRecord {
  key: string;
  value: string;
}

export interface ReadRecord extends LogRecord {
  topic: string;
  partition: number;
  offset: bigint;
}

/** A record as it lies in the log of one topic, for whoever reads all of it. */
export interface StoredRecord extends LogRecord {
  partition: number;
  offset: bigint;
  /** Milliseconds since the epoch, by the log's own clock. */
  appendedAt: number;
}

export interface Subscription {
  /** One member of each group gets a record; the name of the service. */
  group: string;
  topics: readonly string[];
  /**
   * Records of one partition in order. Resolves when their effects are committed: only then is the offset committed.
   * A rejection means an outage: the same records come again after a pause, and the partition waits.
   */
  handle(records: readonly ReadRecord[]): Promise<void>;
}

/** Offsets by topic, then partition: the next offset to be written (`ends`) or to be read (`committed`). */
export type Offsets = Record<string, Record<number, bigint>>;

/** The durable log between services: partitions, dense offsets, groups, at-least-once, batches. */
export abstract class EventLog {
  /** Creates missing topics. Called once per process before anything else. */
  abstract start(topics: readonly { name: string; partitions: number }[]): Promise<void>;
  /**
   * Resolves once every record is durable. The partition follows from the key. Rejects with `RecordsRefused` once all are durable
   * but those it names; any other rejection is an outage, after which some of the records may be there.
   */
  abstract append(topic: string, records: readonly LogRecord[]): Promise<void>;
  abstract subscribe(subscription: Subscription): Promise<void>;
  /** Which log this is: offsets of another one say nothing about it. */
  abstract identity(): Promise<string>;
  abstract ends(topics: readonly string[]): Promise<Offsets>;
  abstract committed(group: string, topics: readonly string[]): Promise<Offsets>;
  /** Waits for running handlers, commits what they finished, and stops. */
  abstract stop(): Promise<void>;
}

/** Its readers put parts of it into columns of text and JSON. */
export const serialise = (envelope: EventEnvelope): string => storableJson(envelope);
