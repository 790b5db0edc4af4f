import { Migration } from '@mikro-orm/migrations';

export class Migration20261123030000_suspect_keys extends Migration {
  override up(): void {
    this.addSql(`alter table "channel_suspicion" add column "key_id" text not null default '';`);
    this.addSql(`update "channel_suspicion" set "key_id" = coalesce("evidence"->>'keyId', '');`);
    this.addSql(
      `alter table "channel_suspicion" drop constraint "channel_suspicion_pkey", add primary key ("channel_id", "key_id");`,
    );
  }
}
