import { adminAction, type EventContract, type EventOf, userChanged } from '@tollgate/contracts';
import { AppError, serialise, toEnvelope } from '@tollgate/chassis';
import { usernameKeyOf } from '../user/user.entity.js';

/** Of a connection whose search path is identity's, in the caller's transaction. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

interface Rescued {
  id: number;
  username: string;
}

const find = `select "id", "username", "sealed_totp" is not null as "totp", "passkey_count" as "passkeys" from "users"
  where ("id" = $1 or "username_key" = $2) and "deleted_at" is null order by "id" = $1 desc limit 1 for update`;
const clear = `update "users" set "sealed_totp" = null, "totp_step" = 0, "passkey_count" = 0, "session_version" = "session_version" + 1
  where "id" = $1`;
const mark = `with next as (update "revision" set "value" = "value" + 1 where "name" = 'user' returning "value")
  update "users" set "revision" = next."value" from next where "id" = $1 returning "users"."revision"`;

/**
 * For whoever has lost app, passkeys and recovery codes alike and has nobody above, a super administrator above all: the password alone lets in
 * again, and every session ends. Beside a product that runs, whose services hear of it as of any change. Throws `user-not-found`,
 * `totp-not-set`.
 */
export async function removeFactors(query: Query, user: string): Promise<Rescued> {
  const id = /^\d{1,9}$/.test(user) ? Number(user) : 0;
  const [row] = await query<Rescued & { totp: boolean; passkeys: number }>(find, [id, usernameKeyOf(user)]);
  if (!row) throw new AppError('not-found', 'user-not-found', `There is no user "${user}".`);
  const { totp, passkeys } = row;
  if (!totp && passkeys === 0)
    throw new AppError('invalid', 'totp-not-set', `"${row.username}" (user ${row.id}) has no second factor.`);
  await query(clear, [row.id]);
  await query('delete from "passkey" where "user_id" = $1', [row.id]);
  await query('delete from "recovery_code" where "user_id" = $1', [row.id]);
  const [marked] = await query<{ revision: string }>(mark, [row.id]);
  await add(query, userChanged, { userId: row.id, revision: Number(marked?.revision) });
  // Nobody is signed in on a command line; whom it was done to stands for who did it.
  const by = { actorId: row.id, subject: `user:${row.id}`, after: { by: 'command line' } };
  await add(query, adminAction, { ...by, action: 'user-remove-factors', before: { totp, passkeys } });
  return { id: row.id, username: row.username };
}

/** What the outbox of the service does, for a command beside it; the service sends the row. */
async function add<C extends EventContract>(query: Query, contract: C, data: EventOf<C>['data']): Promise<void> {
  const envelope = toEnvelope(contract, 'identity', data);
  await query('insert into "outbox_event" ("topic", "key", "value") values ($1, $2, $3)', [
    contract.name,
    envelope.subject,
    serialise(envelope),
  ]);
}
