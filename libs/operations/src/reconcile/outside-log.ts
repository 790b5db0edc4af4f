import type { Client } from 'pg';
import type { LogAbout, Period } from '@tollgate/database';

/**
 * A usage log outside of the database. The checks are statements that join it with other tables, so they get a copy of
 * the rows they need.
 */
export interface OutsideLog {
  /** Creates the temporary table `log` on the connection, before its transaction. */
  prepare(client: Client): Promise<void>;
  /**
   * Must be the first step of the transaction: fills the copy with the rows of the period, and with those that the sums
   * of channels need.
   */
  fill(client: Client, period: Period, reportStep: (step: string) => void): Promise<void>;
  about(client: Client, about: LogAbout, limit: number): Promise<object[]>;
}

/** Makes a statement read the copy. Statements with an unqualified name find the copy first anyway. */
export const aboutCopy = (query: string): string => query.replaceAll('"logging"."log"', 'pg_temp."log"');
