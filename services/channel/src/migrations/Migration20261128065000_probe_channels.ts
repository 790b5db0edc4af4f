import { Migration } from '@mikro-orm/migrations';

export class Migration20261128065000_probe_channels extends Migration {
  override up(): void {
    this.addSql(
      `alter table "channel" add column "probe_at" timestamptz null, add column "probes" int not null default 0;`,
    );
    this.addSql(`create index "channel_probe_index" on "channel" ("probe_at") where "probe_at" is not null;`);
    // Channels that are off already are probed too, unless their account was empty.
    this.addSql(`update "channel" c set "probe_at" = now() where "status" = 3 and (
      select "cause" from "channel_transition" t where t."channel_id" = c."id" and t."outcome" = 'moved' order by t."id" desc limit 1
    ) in ('request', 'test');`);
  }
}
