import { Migration } from '@mikro-orm/migrations';
import type { DatabaseDefinition } from '@tollgate/chassis';

class Migration20261101000002Session extends Migration {
  override up(): void {
    this.addSql(`create table session (key text primary key, value text not null, expires_at timestamptz not null);`);
    this.addSql(`create index session_expires_at_index on session (expires_at);`);
  }
}

const sessionMigration = { name: 'Migration20261101000002Session', class: Migration20261101000002Session };

/** Schema in which sessions survive a restart without Redis. */
export const sessionSchema: DatabaseDefinition = { name: 'platform', entities: [], migrations: [sessionMigration] };
