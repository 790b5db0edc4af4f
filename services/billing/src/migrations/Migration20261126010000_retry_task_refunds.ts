import { Migration } from '@mikro-orm/migrations';

/** How often a refund failed, and when it is retried. */
export class Migration20261126010000_retry_task_refunds extends Migration {
  override up(): void {
    this.addSql(`alter table "task_refund" add column "failures" int not null default 0,
      add column "retry_at" timestamptz null;`);
  }
}
