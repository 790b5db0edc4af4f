import { Migration } from '@mikro-orm/migrations';

export class Migration20261128230000_count_heartbeats extends Migration {
  override up(): void {
    this.addSql(`alter table "replica" add column "beats" int not null default 0;`);
  }
}
