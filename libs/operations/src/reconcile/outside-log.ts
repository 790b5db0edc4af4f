import type { Client } from 'pg';
import type { LogAbout, Period } from '@tollgate/chassis';

/** The usage log where its rows are not in the database. The checks are statements about both, so they are given a copy of what they ask for. */
export interface OutsideLog {
  /** Makes the temporary table `log` of the connection, before its transaction. */
  prepare(client: Client): Promise<void>;
  /** As the first thing in the transaction: fills it with the rows of the period, and with what else is needed for the sums of channels. */
  fill(client: Client, period: Period, tell: (step: string) => void): Promise<void>;
  about(client: Client, about: LogAbout, limit: number): Promise<object[]>;
}

/** The same statement about the copy. What is said within the schema of the service finds it first anyway. */
export const aboutCopy = (query: string): string => query.replaceAll('"logging"."log"', 'pg_temp."log"');
