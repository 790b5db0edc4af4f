import { Migration } from '@mikro-orm/migrations';
import { erasedUsersMark } from '@tollgate/database';

/** What is kept about a person is found by the person, and forgotten in batches. */
export class Migration20261123045000_sweep_in_batches extends Migration {
  override up(): void {
    this.addSql(erasedUsersMark);
    this.addSql(`create index "approval_user_id_index" on "approval" ("user_id", "id");`);
  }
}
