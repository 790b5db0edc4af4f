import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the sums of the journal that the watch over the books has computed so far, so that a look need not start at
 * the first posting.
 */
export class Migration20261123020000_carry_book_sums extends Migration {
  override up(): void {
    this.addSql(`create table "books_sum" (
      "pass" text not null, "account" text not null, "credit" numeric(38, 0) not null, "spent" numeric(38, 0) not null, "requests" bigint not null,
      primary key ("pass", "account")
    ) with (fillfactor = 80);`);
    this.addSql(`create table "books_mark" (
      "pass" text not null, "chain" text not null, "position" bigint not null, primary key ("pass", "chain")
    );`);
    this.addSql(`create table "books_finding" (
      "pass" text not null, "check" text not null, "subject" text not null, "found" text not null, primary key ("pass", "check", "subject")
    );`);
    this
      .addSql(`alter table "books_watch" add column "compared_from" timestamptz null, add column "looked_up_to" timestamptz null,
      add column "recounting_since" timestamptz null, add column "recounted_at" timestamptz null;`);
  }
}
