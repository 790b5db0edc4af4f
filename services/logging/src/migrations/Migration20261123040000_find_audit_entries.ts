import { Migration } from '@mikro-orm/migrations';

/** The audit log by what an action or a subject begins with, whatever order the database gives to texts. */
export class Migration20261123040000_find_audit_entries extends Migration {
  override up(): void {
    this.addSql(`drop index "audit_entry_subject_index";`);
    this.addSql(
      `create index "audit_entry_subject_index" on "audit_entry" ("subject" text_pattern_ops, "happened_at");`,
    );
    this.addSql(`create index "audit_entry_action_index" on "audit_entry" ("action" text_pattern_ops, "happened_at");`);
  }
}
