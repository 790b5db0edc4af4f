import { Migration } from '@mikro-orm/migrations';

/** Where the event of a consumption lies in the log; null for other movements and for what was booked before. */
export class Migration20261123000300_note_event_places extends Migration {
  override up(): void {
    this.addSql(`alter table "posting" add column "event_partition" int null, add column "event_offset" bigint null;`);
  }
}
