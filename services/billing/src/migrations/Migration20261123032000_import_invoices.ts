import { Migration } from '@mikro-orm/migrations';

export class Migration20261123032000_import_invoices extends Migration {
  override up(): void {
    this.addSql(`create table "invoice" (
      "id" serial primary key,
      "name" text not null,
      "format" text not null,
      "channel_ids" int[] not null,
      "first_day" date not null,
      "last_day" date not null,
      "zone" text not null,
      "rows" int not null,
      "digest" text not null,
      "imported_by" int not null,
      "imported_at" timestamptz not null
    );`);
    this.addSql(`create table "invoice_line" (
      "invoice_id" int not null,
      "day" date not null,
      "model" text not null,
      "requests" bigint not null,
      "input" bigint not null,
      "cached" bigint not null,
      "output" bigint not null,
      "amount" numeric(38, 0) null,
      primary key ("invoice_id", "day", "model")
    );`);
    for (const table of ['invoice', 'invoice_line'])
      this.addSql(
        `create trigger "${table}_append_only" before update or delete on "${table}" for each row execute function "refuse_change"();`,
      );
  }
}
