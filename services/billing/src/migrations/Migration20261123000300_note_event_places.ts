import { Migration } from '@mikro-orm/migrations';

/** Position of a consumption's event in the event log; null for other movements and for older rows. */
export class Migration20261123000300_note_event_places extends Migration {
  override up(): void {
    this.addSql(`alter table "posting" add column "event_partition" int null, add column "event_offset" bigint null;`);
  }
}
