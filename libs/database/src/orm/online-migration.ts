import { Migration } from '@mikro-orm/migrations';

/**
 * For large tables: does not run in a transaction, so readers and writers of the table are not blocked. Each statement takes effect by
 * itself, and an interrupted migration starts over, so every statement must be repeatable. These statements wait for locks without limit,
 * so a change that locks out readers (`alter table`) must be in an ordinary migration.
 */
export abstract class OnlineMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /**
   * `on` is the rest of the statement: table, columns, condition. An interrupted build leaves an invalid index, which is dropped and
   * rebuilt.
   */
  protected buildIndex(name: string, on: string): void {
    this.addSql(`drop index concurrently if exists "${name}";`);
    this.addSql(`create index concurrently "${name}" on ${on};`);
  }
}
