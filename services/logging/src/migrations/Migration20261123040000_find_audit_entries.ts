import { OnlineMigration } from '@tollgate/database';

/**
 * Indexes the audit log by prefixes of actions and subjects, independent of the database's collation. The index by
 * subject and id is kept for replicas of the previous release; the next release drops it.
 */
export class Migration20261123040000_find_audit_entries extends OnlineMigration {
  override up(): void {
    this.buildIndex('audit_entry_subject_time_index', '"audit_entry" ("subject" text_pattern_ops, "happened_at")');
    this.buildIndex('audit_entry_action_time_index', '"audit_entry" ("action" text_pattern_ops, "happened_at")');
  }
}
