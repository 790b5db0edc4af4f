import { Migration } from '@mikro-orm/migrations';

export class Migration20261122150000_find_channel_keys extends Migration {
  override up(): void {
    // The service fills this column, because a migration has no secret key.
    this.addSql(`alter table "channel" add column "key_hashes" text[] not null default '{}';`);
    this.addSql(`create index "channel_key_hashes_index" on "channel" using gin ("key_hashes");`);
  }
}
