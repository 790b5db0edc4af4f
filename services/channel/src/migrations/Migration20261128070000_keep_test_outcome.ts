import { Migration } from '@mikro-orm/migrations';

export class Migration20261128070000_keep_test_outcome extends Migration {
  override up(): void {
    this.addSql(`alter table "channel" add column "test_ok" boolean null;`);
  }
}
