import { Migration } from '@mikro-orm/migrations';

/** Adds the duration of completed requests per channel; 0 for hours before this migration. */
export class Migration20261123001000_time_channels extends Migration {
  override up(): void {
    this.addSql(`alter table "channel_hour" add column "answers" bigint not null default 0,
      add column "duration_ms_sum" bigint not null default 0;`);
  }
}
