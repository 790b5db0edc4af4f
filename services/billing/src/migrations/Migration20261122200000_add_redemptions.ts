import { Migration } from '@mikro-orm/migrations';

export class Migration20261122200000_add_redemptions extends Migration {
  override up(): void {
    this.addSql(`create table "redemption" (
      "id" serial primary key,
      "user_id" int not null,
      "key_hash" text not null,
      "key_sealed" text not null,
      "name" text not null,
      "status" int not null default 1,
      "quota" bigint not null,
      "created_time" bigint not null,
      "redeemed_time" bigint not null default 0,
      "expired_time" bigint not null default 0,
      "used_user_id" int not null default 0,
      "deleted_at" timestamptz null,
      constraint "redemption_quota_check" check ("quota" > 0)
    );`);
    this.addSql(`alter table "redemption" add constraint "redemption_key_hash_unique" unique ("key_hash");`);
    this.addSql(`create index "redemption_name_index" on "redemption" ("name" text_pattern_ops);`);
  }
}
