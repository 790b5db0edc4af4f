import { Migration } from '@mikro-orm/migrations';
import { erasedUsersSchema } from '@tollgate/database';

/** What remains of an audit record that names a person: numbers, and values that the system itself chose. */
const bareRecord = `create function "bare_record"("record" jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg("key", "value") from jsonb_each("record")
  where jsonb_typeof("value") in ('number', 'boolean') or "key" in ('group', 'kind', 'status', 'currency', 'money', 'action')
$$;`;

/** Removes messages of upstreams, which may repeat text of the person. */
const bareOther = `create function "bare_other"("other" jsonb) returns jsonb language sql immutable as $$
  select case when jsonb_typeof("other" #> '{admin_info,attempts}') = 'array' then jsonb_set("other", '{admin_info,attempts}',
    (select coalesce(jsonb_agg("attempt" - 'message'), '[]') from jsonb_array_elements("other" #> '{admin_info,attempts}') as a("attempt")))
  else "other" end
$$;`;

/** Only an erasure may change an entry, and only in the columns that may name the person. */
const refuseAuditChange = `create or replace function "refuse_audit_change"() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and coalesce(current_setting('tollgate.erasing', true), '') = 'on'
    and row(new."id", new."event_id", new."actor_id", new."action", new."subject", new."user_id", new."happened_at")
      is not distinct from row(old."id", old."event_id", old."actor_id", old."action", old."subject", old."user_id", old."happened_at")
    and new."text" = '' and new."before" is not distinct from bare_record(old."before") and new."after" is not distinct from bare_record(old."after")
  then
    return new;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
end $$;`;

export class Migration20261123041000_erase_users extends Migration {
  override up(): void {
    this.addSql(erasedUsersSchema);
    this.addSql(bareRecord);
    this.addSql(bareOther);
    this.addSql(refuseAuditChange);
  }
}
