import { Migration } from '@mikro-orm/migrations';
import { erasedUsersMark } from '@tollgate/database';

/** What the audit log has about a person is found by the person, and forgotten in batches. */
export class Migration20261123045000_sweep_in_batches extends Migration {
  override up(): void {
    this.addSql(erasedUsersMark);
    // Of the few entries that name a user beside their subject; writers wait the seconds it takes.
    this.addSql(
      `create index "audit_entry_user_id_index" on "audit_entry" ("user_id", "id") where "user_id" is not null;`,
    );
  }
}
