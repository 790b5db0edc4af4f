import { Migration } from '@mikro-orm/migrations';

export class Migration20251121090000_create_identity extends Migration {
  override up(): void {
    this.addSql(`create table "revision" ("name" text not null primary key, "value" bigint not null default 0)`);
    this.addSql(`insert into "revision" ("name") values ('user'), ('option')`);

    this.addSql(`create table "users" (
      "id" serial primary key,
      "username" text not null,
      "username_key" text not null,
      "display_name" text not null,
      "password_hash" text not null default '',
      "role" int not null default 1,
      "status" int not null default 1,
      "email" text not null default '',
      "group" text not null default 'default',
      "github_id" text null,
      "oidc_id" text null,
      "wechat_id" text null,
      "telegram_id" text null,
      "linux_do_id" text null,
      "access_token_hash" text null,
      "inviter_id" int not null default 0,
      "setting" jsonb not null default '{}',
      "sealed_webhook_secret" text null,
      "session_version" int not null default 1,
      "revision" bigint not null default 0,
      "created_at" timestamptz not null default now(),
      "deleted_at" timestamptz null
    )`);
    // These indexes include deleted users, who keep their names, addresses and bindings.
    this.addSql(`create unique index "users_username_key_unique" on "users" ("username_key")`);
    this.addSql(`create unique index "users_email_unique" on "users" ("email") where "email" <> ''`);
    for (const column of ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id', 'access_token_hash']) {
      this.addSql(`create unique index "users_${column}_unique" on "users" ("${column}")`);
    }
    this.addSql(`create index "users_revision_index" on "users" ("revision")`);
    this.addSql(`create index "users_group_index" on "users" ("group")`);

    this.addSql(`create table "option" (
      "key" text not null primary key,
      "value" text not null,
      "revision" bigint not null,
      "updated_by" int not null,
      "updated_at" timestamptz not null default now()
    )`);

    // At most one row: of several set-ups at the same time only one can insert it.
    this.addSql(`create table "setup" (
      "id" int not null primary key check ("id" = 1),
      "version" text not null,
      "mode" text not null,
      "root_user_id" int not null,
      "initialized_at" timestamptz not null default now()
    )`);
  }
}
