import { Migration } from '@mikro-orm/migrations';

/** Finds the rows of single connections that have not been merged yet. */
export class Migration20261123100000_join_channel_usage extends Migration {
  override up(): void {
    this.addSql(`create index "channel_usage_apart_index" on "channel_usage" ("day") where "shard" <> 0;`);
  }
}
