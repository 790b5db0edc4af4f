import { Migration } from '@mikro-orm/migrations';

export class Migration20261123041000_erase_users extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add column "erased_at" timestamptz null`);
  }
}
