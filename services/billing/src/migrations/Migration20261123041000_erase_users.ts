import { Migration } from '@mikro-orm/migrations';
import { erasedUsersSchema } from '@tollgate/database';

/** A step of an order never changes, except that the provider's message, which may name the payer, can be erased. */
const keepSteps = `create function "refuse_step_change"() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and coalesce(current_setting('tollgate.erasing', true), '') = 'on' and new."raw" is null
    and (to_jsonb(new) - 'raw') = (to_jsonb(old) - 'raw') then
    return new;
  end if;
  raise exception 'the steps of orders are append-only' using errcode = 'restrict_violation';
end $$;`;

export class Migration20261123041000_erase_users extends Migration {
  override up(): void {
    this.addSql(erasedUsersSchema);
    this.addSql(
      `create index "redemption_used_user_id_index" on "redemption" ("used_user_id", "id") where "used_user_id" <> 0;`,
    );
    this.addSql(keepSteps);
    this.addSql(`create or replace trigger "top_up_step_append_only" before update or delete on "top_up_step"
      for each row execute function "refuse_step_change"();`);
  }
}
