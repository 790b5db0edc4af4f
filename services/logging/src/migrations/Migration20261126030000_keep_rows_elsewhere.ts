import { Migration } from '@mikro-orm/migrations';

/** What is kept here of a usage log whose rows are in a store without transactions and unique keys. */
export class Migration20261126030000_keep_rows_elsewhere extends Migration {
  override up(): void {
    // Which events have a row, for as long as any of them may come again.
    this.addSql(`create table "log_key" (
      "event_id" uuid primary key,
      "id" bigint not null default nextval('log_id_seq'),
      "noted_at" timestamptz not null default now()
    );`);
    this.addSql(`create index "log_key_noted_at_index" on "log_key" using brin ("noted_at");`);
    // Rows that are committed and not there yet. As text, which is what is sent.
    this.addSql(`create table "log_pending" (
      "id" bigint not null,
      "version" int not null,
      "row" text not null,
      "noted_at" timestamptz not null default now(),
      primary key ("id", "version")
    );`);
    // What was cleared and is not removed there yet: rows older than a time that were added before a number was given.
    this.addSql(`create table "log_cleared" ("id" bigint primary key, "before" bigint not null);`);
    // Months in which names were taken out of rows whose bytes are there still.
    this.addSql(`create table "log_rewrite" ("month" int primary key);`);
  }
}
