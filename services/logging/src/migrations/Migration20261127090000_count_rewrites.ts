import { Migration } from '@mikro-orm/migrations';

/** Tells a rewrite that was asked for while the month was being rewritten from the one that is done. */
export class Migration20261127090000_count_rewrites extends Migration {
  override up(): void {
    this.addSql(`alter table "log_rewrite" add column "asked" bigint not null default 1;`);
  }
}
