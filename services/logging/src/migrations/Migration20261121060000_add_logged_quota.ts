import { Migration } from '@mikro-orm/migrations';

/** Adds the quota of log rows per hour, so that the total of a long log is cheap to compute. */
export class Migration20261121060000_add_logged_quota extends Migration {
  override up(): void {
    this.addSql(`alter table "quota_hour" add column "logged_quota" bigint not null default 0;`);
    this
      .addSql(`insert into "quota_hour" ("user_id", "username", "model_name", "hour", "count", "quota", "token_used", "logged_quota")
      select "user_id", "username", "model_name", "created_at" - "created_at" % 3600, 0, 0, 0, sum("quota")
      from "log" where "type" = 2 group by 1, 2, 3, 4
      on conflict ("user_id", "hour", "model_name", "username") do update set "logged_quota" = excluded."logged_quota";`);
  }
}
