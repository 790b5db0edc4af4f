import { Migration } from '@mikro-orm/migrations';

/** What a replica says it has spent of a lease, booked or not: nobody needs to wait for that. */
export class Migration20261121090000_note_spent_of_leases extends Migration {
  override up(): void {
    this.addSql(`alter table "lease" add column "used" bigint not null default 0;`);
  }
}
