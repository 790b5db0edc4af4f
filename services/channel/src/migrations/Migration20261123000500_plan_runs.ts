import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000500_plan_runs extends Migration {
  override up(): void {
    this.addSql(
      `create table "scheduled_run" ("name" text primary key, "minutes" int not null, "next_at" timestamptz not null);`,
    );
  }
}
