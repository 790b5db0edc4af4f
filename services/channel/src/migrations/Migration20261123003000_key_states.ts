import { Migration } from '@mikro-orm/migrations';

export class Migration20261123003000_key_states extends Migration {
  override up(): void {
    this.addSql(
      `alter table "channel" add column "key_mode" text not null default '', add column "key_states" jsonb not null default '{}';`,
    );
  }
}
