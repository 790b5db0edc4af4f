import { Migration } from '@mikro-orm/migrations';
import { erasedUsersMark } from '@tollgate/database';

/** Indexes a person's data by the person, and lets it be erased in batches. */
export class Migration20261123045000_sweep_in_batches extends Migration {
  override up(): void {
    this.addSql(erasedUsersMark);
    this.addSql(`create index "approval_user_id_index" on "approval" ("user_id", "id");`);
  }
}
