import type { EventEnvelope } from '@tollgate/contracts';
import { storableJson } from './storable.js';

/** A record of the log: the serialised CloudEvent under its key. Spool, outbox and log hold the same bytes. */
export interface LogRecord {
  key: string;
  value: string;
}

export interface ReadRecord extends LogRecord {
  topic: string;
  partition: number;
  offset: bigint;
}

/** A record with its position in the log of a topic, for readers of the whole topic. */
export interface StoredRecord extends LogRecord {
  partition: number;
  offset: bigint;
  /** Milliseconds since the epoch, by the clock of the log's server. */
  appendedAt: number;
}

export interface Subscription {
  /** Consumer group, the name of the service. One member of each group gets a record. */
  group: string;
  topics: readonly string[];
  /**
   * Handles records of one partition in order. Resolves once their effects are committed; the offset is committed only then. A rejection
   * means an outage: the same records are delivered again after a pause, and the partition waits.
   */
  handle(records: readonly ReadRecord[]): Promise<void>;
}

/** Offsets by topic and partition: the next offset to be written (`ends`) or to be read (`committed`). */
export type Offsets = Record<string, Record<number, bigint>>;

/** The durable log between services: partitions, dense offsets, consumer groups, at-least-once delivery in batches. */
export abstract class EventLog {
  /** Creates missing topics. Called once per process before any other method. */
  abstract start(topics: readonly { name: string; partitions: number }[]): Promise<void>;
  /**
   * Resolves once every record is durable. The key determines the partition. Rejects with `RecordsRefused` when all records are durable
   * except those it names; any other rejection is an outage, after which some of the records may have been stored.
   */
  abstract append(topic: string, records: readonly LogRecord[]): Promise<void>;
  abstract subscribe(subscription: Subscription): Promise<void>;
  /** Identifies this log. Offsets of another log are meaningless here. */
  abstract identity(): Promise<string>;
  abstract ends(topics: readonly string[]): Promise<Offsets>;
  abstract committed(group: string, topics: readonly string[]): Promise<Offsets>;
  /** Waits for running handlers, commits the offsets of what they finished, and stops. */
  abstract stop(): Promise<void>;
}

/** Serialises an event so that its consumers can store any part of it in text and JSON columns. */
export const serialise = (envelope: EventEnvelope): string => storableJson(envelope);
