/** A column-oriented store for long tables (ClickHouse): fast inserts and aggregates, without transactions or unique keys. */
export abstract class ColumnStore {
  /** Runs a statement that returns no rows. `minutes` is its time limit, 1 when absent. */
  abstract run(statement: string, minutes?: number): Promise<void>;
  /** Rows as objects keyed by column name; 64-bit integers arrive as strings. */
  abstract query<Row extends object>(statement: string): Promise<Row[]>;
  /** As `query`, but one row at a time, for results that do not fit in memory. Leaving the loop early cancels the statement. */
  abstract stream<Row extends object>(statement: string): AsyncIterable<Row>;
  /** Inserts all rows. A failed insert may have stored some of them, so repeating one must not count a row twice. */
  abstract insert(table: string, rows: readonly object[]): Promise<void>;
  abstract stop(): Promise<void>;
}
