import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the place of events about movements, since their postings are written before the event and cannot contain it.
 * Older events have no row.
 */
export class Migration20261126020000_note_event_places extends Migration {
  override up(): void {
    this.addSql(`create table "event_place" (
      "event_id" uuid primary key,
      "topic" text not null,
      "partition" int not null,
      "record_offset" bigint not null
    );`);
  }
}
