import { Migration } from '@mikro-orm/migrations';

export class Migration20261123001500_keep_tests extends Migration {
  override up(): void {
    this.addSql(`create table "channel_test" (
      "id" bigserial primary key, "channel_id" int not null, "model" text not null, "success" boolean not null,
      "response_time_ms" int not null, "message" text not null, "tested_at" timestamptz not null
    );`);
    this.addSql(`create index "channel_test_channel_index" on "channel_test" ("channel_id", "id" desc);`);
  }
}
