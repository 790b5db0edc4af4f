/** A server that keeps long tables by columns: quick to add to and to sum, without transactions and unique keys. */
export abstract class ColumnStore {
  /** A statement that answers nothing. `minutes`: how long it may take, 1 when absent. */
  abstract run(statement: string, minutes?: number): Promise<void>;
  /** Rows by the names of their columns; whole numbers of 64 bits are texts. */
  abstract query<Row extends object>(statement: string): Promise<Row[]>;
  /** The same a row at a time, for more of them than fit in memory. Whoever leaves early ends the statement. */
  abstract stream<Row extends object>(statement: string): AsyncIterable<Row>;
  /** All of them or, where that fails, perhaps some: what is added again must not count twice. */
  abstract insert(table: string, rows: readonly object[]): Promise<void>;
  abstract stop(): Promise<void>;
}
