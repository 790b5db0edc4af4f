import { Migration } from '@mikro-orm/migrations';

/** Rows are hashed with model, group, channel and the place of their event from now on. What was hashed without them stays as it is. */
export class Migration20261123020100_version_chain_texts extends Migration {
  override up(): void {
    this.addSql(`alter table "journal_link" add column "version" smallint not null default 1;`);
  }
}
