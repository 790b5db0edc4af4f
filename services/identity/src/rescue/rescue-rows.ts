import { type EventContract, type EventOf, userChanged } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { INSERT_OUTBOX_ROW, outboxRow } from '@tollgate/database';
import { usernameKeyOf } from '../user/user.entity.js';

/** Runs a statement in the caller's transaction, on a connection whose search path is identity's schema. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The user that a command was applied to. */
export interface Rescued {
  id: number;
  username: string;
}

interface Found extends Rescued {
  role: number;
  status: number;
  totp: boolean;
  passkeys: number;
  password: boolean;
  /** Ids of provider accounts, by property name of the entity. */
  bindings: Record<string, string | null>;
}

const HOLD = `select "value" from "revision" where "name" = 'option' for update`;
const FIND = `select "id", "username", "role", "status", "sealed_totp" is not null as "totp", "passkey_count" as "passkeys", "password_hash" <> '' as "password",
    json_build_object('githubId', "github_id", 'oidcId', "oidc_id", 'linuxDoId', "linux_do_id", 'wechatId', "wechat_id", 'telegramId', "telegram_id") as "bindings"
  from "users" where ("id" = $1 or "username_key" = $2) and "deleted_at" is null order by "id" = $1 desc limit 1 for update`;
const CLEAR = `update "users" set "sealed_totp" = null, "totp_step" = 0, "passkey_count" = 0, "session_version" = "session_version" + 1
  where "id" = $1`;
const MARK = `with next as (update "revision" set "value" = "value" + 1 where "name" = 'user' returning "value")
  update "users" set "revision" = next."value" from next where "id" = $1 returning "users"."revision"`;

/**
 * Finds a user by name or id and locks the row until the transaction ends. Also locks the options, as every change of
 * options does, so that no sign-in method is switched meanwhile.
 */
export async function holdUser(query: Query, user: string): Promise<Found> {
  const id = /^\d{1,9}$/.test(user) ? Number(user) : 0;
  await query(HOLD);
  const [row] = await query<Found>(FIND, [id, usernameKeyOf(user)]);
  if (!row) throw new AppError('not-found', 'user-not-found', `There is no user "${user}".`);
  return row;
}

/** Removes every second factor and ends every session. */
export async function clearFactors(query: Query, id: number): Promise<void> {
  await query(CLEAR, [id]);
  await query('delete from "passkey" where "user_id" = $1', [id]);
  await query('delete from "recovery_code" where "user_id" = $1', [id]);
}

/** Publishes the change, so that running services learn of it. */
export async function markChanged(query: Query, id: number): Promise<void> {
  const [marked] = await query<{ revision: string }>(MARK, [id]);
  await addEvent(query, userChanged, { userId: id, revision: Number(marked?.revision) });
}

/** Adds an event to identity's outbox, in the caller's transaction. */
export async function addEvent<C extends EventContract>(
  query: Query,
  contract: C,
  data: EventOf<C>['data'],
): Promise<void> {
  const { topic, key, value } = outboxRow(contract, 'identity', data);
  await query(INSERT_OUTBOX_ROW, [topic, key, value]);
}

/**
 * Nobody is signed in on a command line, so the audit log names no actor; the `actorId` that an event must have is the
 * user's own.
 */
export const unattended = ({ id }: Rescued) => ({ actorId: id, unattended: true });
