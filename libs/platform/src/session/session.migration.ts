import { Migration } from '@mikro-orm/migrations';

class Migration20261101000002Session extends Migration {
  override up(): void {
    this.addSql(`create table session (key text primary key, value text not null, expires_at timestamptz not null);`);
    this.addSql(`create index session_expires_at_index on session (expires_at);`);
  }
}

export const sessionMigration = { name: 'Migration20261101000002Session', class: Migration20261101000002Session };
