import { Migration } from '@mikro-orm/migrations';

export class Migration20261122211000_sign_ins extends Migration {
  override up(): void {
    this.addSql(`create table "sign_in" (
      "id" serial primary key,
      "session_id" text not null,
      "user_id" int not null,
      "user_agent" text not null,
      "address" text not null,
      "created_at" timestamptz not null default now()
    )`);
    this.addSql(`create unique index "sign_in_session_id_unique" on "sign_in" ("session_id")`);
    this.addSql(`create index "sign_in_user_index" on "sign_in" ("user_id", "id")`);
  }
}
