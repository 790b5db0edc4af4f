import { OnlineMigration, erasedUsersMark } from '@tollgate/database';

/** Indexes the audit log by person, so that erasures can be processed in batches. */
export class Migration20261123045000_sweep_in_batches extends OnlineMigration {
  override up(): void {
    this.addSql(erasedUsersMark);
    this.buildIndex('audit_entry_user_id_index', '"audit_entry" ("user_id", "id") where "user_id" is not null');
  }
}
