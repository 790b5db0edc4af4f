import { Migration } from '@mikro-orm/migrations';

/** Rows of the journal are evidence: a trigger refuses every change and deletion. */
const appendOnly = `create function "refuse_change"() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only' using errcode = 'restrict_violation';
end $$;`;

/**
 * Funds whose `held` differs from the outstanding amount of their leases, or is below zero. Empty while the books are
 * correct.
 */
const heldFaults = `create function "held_faults"() returns table ("kind" text, "account_id" int, "held" bigint, "outstanding" bigint)
language sql stable as $$
  with owed as (
    select l."kind", l."account_id", sum(greatest(0, l."granted" - l."returned" - l."booked"))::bigint as "outstanding"
    from "lease" l group by l."kind", l."account_id"
  ), fund as (
    select 'wallet' as "kind", a."user_id" as "account_id", a."held" from "account" a
    union all
    select 'token', t."id", t."held" from "token" t
  )
  select coalesce(f."kind", o."kind"), coalesce(f."account_id", o."account_id"), coalesce(f."held", 0), coalesce(o."outstanding", 0)
  from fund f full join owed o on o."kind" = f."kind" and o."account_id" = f."account_id"
  where coalesce(f."held", 0) <> coalesce(o."outstanding", 0) or coalesce(f."held", 0) < 0
$$;`;

export class Migration20261121030000_create_billing extends Migration {
  override up(): void {
    this.accounts();
    this.tokens();
    this.leases();
    this.journal();
    this.prices();
    this.addSql(`create table "change_revision" ("name" text primary key, "value" bigint not null);`);
    this.addSql(`insert into "change_revision" ("name", "value") values ('token', 0), ('price', 0);`);
  }

  private accounts(): void {
    this.addSql(`create table "account" (
      "user_id" int primary key,
      "credit" bigint not null default 0,
      "spent" bigint not null default 0,
      "held" bigint not null default 0,
      "request_count" bigint not null default 0,
      "kind" text null,
      "inviter_id" int not null default 0,
      "opened_at" timestamptz null,
      "aff_code" text null,
      "aff_count" int not null default 0,
      "aff_quota" bigint not null default 0,
      "aff_history_quota" bigint not null default 0,
      "low_balance_noticed_at" timestamptz null
    );`);
    this.addSql(`alter table "account" add constraint "account_aff_code_unique" unique ("aff_code");`);
    this.addSql(`alter table "account" add constraint "account_held_check" check ("held" >= 0);`);
  }

  private tokens(): void {
    this.addSql(`create table "token" (
      "id" serial primary key,
      "user_id" int not null,
      "name" text not null,
      "key_hash" text not null,
      "key_sealed" text not null,
      "key_hint" text not null,
      "status" int not null default 1,
      "expired_time" bigint not null default -1,
      "unlimited_quota" boolean not null default false,
      "credit" bigint not null default 0,
      "spent" bigint not null default 0,
      "held" bigint not null default 0,
      "model_limits_enabled" boolean not null default false,
      "model_limits" text not null default '',
      "allow_ips" text not null default '',
      "group" text not null default '',
      "created_time" bigint not null,
      "accessed_time" bigint not null default 0,
      "revision" bigint not null default 0,
      "deleted_at" timestamptz null
    );`);
    this.addSql(`alter table "token" add constraint "token_key_hash_unique" unique ("key_hash");`);
    this.addSql(`alter table "token" add constraint "token_held_check" check ("held" >= 0);`);
    this.addSql(`create index "token_user_id_id_index" on "token" ("user_id", "id");`);
    this.addSql(`create index "token_revision_index" on "token" ("revision");`);
  }

  private leases(): void {
    this.addSql(`create table "replica" (
      "epoch" text primary key,
      "synced_at" timestamptz not null,
      "expired_at" timestamptz null,
      "log_ends" jsonb null,
      "recovered_at" timestamptz null,
      "released_at" timestamptz null
    );`);
    this.addSql(`create index "replica_synced_at_index" on "replica" ("synced_at");`);
    this.addSql(`create table "lease" (
      "kind" text not null,
      "account_id" int not null,
      "replica_epoch" text not null,
      "granted" bigint not null default 0,
      "returned" bigint not null default 0,
      "booked" bigint not null default 0,
      primary key ("kind", "account_id", "replica_epoch")
    );`);
    this.addSql(`create index "lease_replica_epoch_index" on "lease" ("replica_epoch");`);
    this.addSql(`create unlogged table "lease_wait" (
      "kind" text not null,
      "account_id" int not null,
      "replica_epoch" text not null,
      "wanted_at" timestamptz not null,
      primary key ("kind", "account_id", "replica_epoch")
    );`);
    this.addSql(`create table "reaper_run" ("id" int primary key, "ran_at" timestamptz not null);`);
    this.addSql(heldFaults);
  }

  private journal(): void {
    this.addSql(`create table "posting" (
      "id" uuid not null,
      "code" text not null,
      "debit" text not null,
      "credit" text not null,
      "amount" bigint not null,
      "user_id" int not null,
      "token_id" int not null default 0,
      "reference" text not null,
      "price_version" text null,
      "replica_epoch" text null,
      "actor_id" int null,
      "reason" text null,
      "booked_at" timestamptz not null default now(),
      primary key ("id"),
      constraint "posting_amount_check" check ("amount" > 0 or ("amount" = 0 and "code" = 'consumption'))
    ) partition by range ("id");`);
    this.addSql(`create table "posting_default" partition of "posting" default;`);
    this.addSql(`create index "posting_user_id_index" on "posting" ("user_id", "id");`);
    this.addSql(appendOnly);
    this.addSql(
      `create trigger "posting_append_only" before update or delete on "posting" for each row execute function "refuse_change"();`,
    );
    this.addSql(`create table "posting_key" (
      "code" text not null,
      "reference" text not null,
      "posting_id" uuid null,
      "result" jsonb null,
      "created_at" timestamptz not null default now(),
      primary key ("code", "reference")
    );`);
  }

  private prices(): void {
    this.addSql(`create table "price_version" (
      "id" text primary key,
      "document" jsonb not null,
      "created_at" timestamptz not null default now()
    );`);
    this.addSql(`create table "price_publication" (
      "revision" bigint primary key,
      "price_version" text not null,
      "option_revision" bigint not null,
      "published_at" timestamptz not null default now()
    );`);
    this.addSql(
      `alter table "price_publication" add constraint "price_publication_price_version_foreign" foreign key ("price_version") references "price_version" ("id");`,
    );
  }
}
