import type { LogRecord } from './event-log.js';

/**
 * The most one record has, key and value in UTF-8, on Kafka as on the table: below the megabyte that a broker takes by default in
 * one batch.
 */
export const MAX_RECORD_BYTES = 768 * 1024;

/** A record the log takes in no form and at no time. */
export interface RefusedRecord {
  /** Index among the records of the append. */
  readonly index: number;
  /** For people who read the log. */
  readonly reason: string;
}

/** The log has every record of an append but these, and no repetition will bring them in: put them aside and go on. */
export class RecordsRefused extends Error {
  constructor(
    topic: string,
    readonly refusals: readonly RefusedRecord[],
  ) {
    super(`the event log refuses ${refusals.length} of the records of "${topic}": ${refusals[0]?.reason ?? ''}`);
    this.name = 'RecordsRefused';
  }
}

/** A record and its place in the append it came with. */
export interface Indexed {
  readonly record: LogRecord;
  readonly index: number;
}

export const sizeOf = ({ key, value }: LogRecord): number => Buffer.byteLength(value) + Buffer.byteLength(key);

/** What may be tried, and what is refused without trying, alike by every adapter. */
export function sifted(records: readonly LogRecord[]): { fit: Indexed[]; refusals: RefusedRecord[] } {
  const fit: Indexed[] = [];
  const refusals: RefusedRecord[] = [];
  for (const [index, record] of records.entries()) {
    const bytes = sizeOf(record);
    if (bytes <= MAX_RECORD_BYTES) fit.push({ record, index });
    else refusals.push({ index, reason: `too large: ${bytes} bytes, the event log takes ${MAX_RECORD_BYTES}` });
  }
  return { fit, refusals };
}
