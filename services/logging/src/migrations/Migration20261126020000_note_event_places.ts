import { Migration } from '@mikro-orm/migrations';

/** Where the event of a movement lies in the log: its posting was there before it, and cannot say. Events of before have no row. */
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
