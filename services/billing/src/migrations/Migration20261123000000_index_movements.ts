import { Migration } from '@mikro-orm/migrations';

/**
 * Consumption is most of the journal, and is found by user and time. The few other movements are also found by their
 * code.
 */
export class Migration20261123000000_index_movements extends Migration {
  override up(): void {
    this.addSql(`create index "posting_code_index" on "posting" ("code", "id") where "code" <> 'consumption';`);
    this.addSql(`create index "posting_movement_index" on "posting" ("user_id", "id") where "code" <> 'consumption';`);
    this.addSql(`create index "posting_actor_index" on "posting" ("actor_id", "id") where "actor_id" is not null;`);
    this.addSql(`create index "posting_key_reference_index" on "posting_key" ("reference");`);
  }
}
