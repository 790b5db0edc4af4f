import { Migration } from '@mikro-orm/migrations';

/**
 * What PostgreSQL stores when the rows of the usage log are in ClickHouse, which has neither transactions nor unique
 * keys.
 */
export class Migration20261126030000_keep_rows_elsewhere extends Migration {
  override up(): void {
    // The events that have a row, kept for as long as an event may be delivered again.
    this.addSql(`create table "log_key" (
      "event_id" uuid primary key,
      "id" bigint not null default nextval('log_id_seq'),
      "noted_at" timestamptz not null default now()
    );`);
    this.addSql(`create index "log_key_noted_at_index" on "log_key" using brin ("noted_at");`);
    // Rows that are committed but not in ClickHouse yet, as the JSON text that is sent.
    this.addSql(`create table "log_pending" (
      "id" bigint not null,
      "version" int not null,
      "row" text not null,
      "noted_at" timestamptz not null default now(),
      primary key ("id", "version")
    );`);
    // Clearings that have not been carried out in ClickHouse yet: rows older than a time that were added before an id
    // was assigned.
    this.addSql(`create table "log_cleared" ("id" bigint primary key, "before" bigint not null);`);
    // Months in which names were removed from rows whose old versions still exist on disk.
    this.addSql(`create table "log_rewrite" ("month" int primary key);`);
  }
}
