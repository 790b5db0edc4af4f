import { OnlineMigration } from '@tollgate/database';

/**
 * The audit log by what an action or a subject begins with, whatever order the database gives to texts. The index by subject and id stays for
 * replicas of before; the next release drops it.
 */
export class Migration20261123040000_find_audit_entries extends OnlineMigration {
  override up(): void {
    this.buildIndex('audit_entry_subject_time_index', '"audit_entry" ("subject" text_pattern_ops, "happened_at")');
    this.buildIndex('audit_entry_action_time_index', '"audit_entry" ("action" text_pattern_ops, "happened_at")');
  }
}
