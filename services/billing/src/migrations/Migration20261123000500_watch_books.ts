import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000500_watch_books extends Migration {
  override up(): void {
    this.addSql(`create table "books_watch" (
      "id" int primary key, "balanced_up_to" timestamptz not null, "faults" int not null, "checked_at" timestamptz not null, "first" text null
    );`);
  }
}
