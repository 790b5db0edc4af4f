import { Migration } from '@mikro-orm/migrations';

/**
 * From now on the hash of a row includes model, group, channel and the position of its event. Older hashes stay as they
 * are.
 */
export class Migration20261123020100_version_chain_texts extends Migration {
  override up(): void {
    this.addSql(`alter table "journal_link" add column "version" smallint not null default 1;`);
  }
}
