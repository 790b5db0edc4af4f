import type { LogRecord } from './event-log.js';

/**
 * Size limit of a record, key and value in UTF-8, for both Kafka and the table log. It is below the megabyte that a broker accepts by
 * default in one batch.
 */
export const MAX_RECORD_BYTES = 768 * 1024;

/** A record that the log will never accept. */
export interface RefusedRecord {
  /** Index among the records of the append. */
  readonly index: number;
  /** For operators who read the process log. */
  readonly reason: string;
}

/** All records of an append are stored except those named here. Repeating cannot store these; set them aside and continue. */
export class RecordsRefused extends Error {
  constructor(
    topic: string,
    readonly refusals: readonly RefusedRecord[],
  ) {
    super(`the event log refuses ${refusals.length} of the records of "${topic}": ${refusals[0]?.reason ?? ''}`);
    this.name = 'RecordsRefused';
  }
}

/** A record and its index in the append. */
export interface Indexed {
  readonly record: LogRecord;
  readonly index: number;
}

export const sizeOf = ({ key, value }: LogRecord): number => Buffer.byteLength(value) + Buffer.byteLength(key);

/** Splits an append into records to send and records that are refused for their size, by the same rule in every adapter. */
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
