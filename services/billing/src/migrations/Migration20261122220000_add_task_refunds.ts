import { Migration } from '@mikro-orm/migrations';

export class Migration20261122220000_add_task_refunds extends Migration {
  override up(): void {
    this.addSql(`create table "task_refund" (
      "request_id" uuid primary key, "task" jsonb not null, "created_at" timestamptz not null default now(),
      "done_at" timestamptz null
    );`);
    this.addSql(`create index "task_refund_open_index" on "task_refund" ("created_at") where "done_at" is null;`);
  }
}
