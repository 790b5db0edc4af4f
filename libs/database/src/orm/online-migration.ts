import { Migration } from '@mikro-orm/migrations';

/**
 * For a table that is large by now: nothing here runs in a transaction, so nobody who reads or writes the table waits. Each statement is final by
 * itself, and a migration that was interrupted begins again, so every statement of one must bear to be repeated. They wait for
 * locks without a bound: what takes a table from its readers (`alter table`) belongs into an ordinary migration.
 */
export abstract class OnlineMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** `on` is what follows the word: table, columns, condition. What an interrupted build has left is invalid, and built anew. */
  protected buildIndex(name: string, on: string): void {
    this.addSql(`drop index concurrently if exists "${name}";`);
    this.addSql(`create index concurrently "${name}" on ${on};`);
  }
}
