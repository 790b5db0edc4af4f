import { Migration } from '@mikro-orm/migrations';

/** Stores what a replica reports as spent of a lease, booked or not: other replicas need not wait for that part. */
export class Migration20261121090000_note_spent_of_leases extends Migration {
  override up(): void {
    this.addSql(`alter table "lease" add column "used" bigint not null default 0;`);
  }
}
