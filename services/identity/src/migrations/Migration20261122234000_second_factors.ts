import { Migration } from '@mikro-orm/migrations';

export class Migration20261122234000_second_factors extends Migration {
  override up(): void {
    this.addSql(`alter table "users"
      add column "sealed_totp" text null,
      add column "totp_step" bigint not null default 0,
      add column "passkey_count" int not null default 0`);
    this.addSql(`create table "recovery_code" (
      "id" serial primary key,
      "user_id" int not null,
      "hash" text not null,
      "used_at" timestamptz null
    )`);
    this.addSql(`create unique index "recovery_code_user_index" on "recovery_code" ("user_id", "hash")`);
    this.addSql(`create table "passkey" (
      "id" serial primary key,
      "user_id" int not null,
      "credential_id" text not null,
      "public_key" text not null,
      "counter" bigint not null,
      "transports" text not null,
      "host" text not null,
      "name" text not null,
      "backed_up" boolean not null,
      "created_at" timestamptz not null,
      "last_used_at" timestamptz null
    )`);
    this.addSql(`create unique index "passkey_credential_id_unique" on "passkey" ("credential_id")`);
    this.addSql(`create index "passkey_user_index" on "passkey" ("user_id", "id")`);
  }
}
