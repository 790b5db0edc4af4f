import {
  adminAction,
  defaultOptions,
  type EventContract,
  type EventOf,
  isRoot,
  type OptionKey,
  userChanged,
} from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { INSERT_OUTBOX_ROW, outboxRow } from '@tollgate/database';
import { openMethods } from '../option/sign-in-methods.js';
import { usernameKeyOf } from '../user/user.entity.js';

/** Of a connection whose search path is identity's, in the caller's transaction. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

interface Rescued {
  id: number;
  username: string;
}
interface Found extends Rescued {
  role: number;
  totp: boolean;
  passkeys: number;
  password: boolean;
  /** Of accounts elsewhere, by the name of the member. */
  bindings: Record<string, string | null>;
}

/** No way in is switched off meanwhile: whoever changes an option takes this lock first. */
const holdOptions = `select "value" from "revision" where "name" = 'option' for update`;
const find = `select "id", "username", "role", "sealed_totp" is not null as "totp", "passkey_count" as "passkeys", "password_hash" <> '' as "password",
    json_build_object('githubId', "github_id", 'oidcId', "oidc_id", 'linuxDoId', "linux_do_id", 'wechatId', "wechat_id", 'telegramId', "telegram_id") as "bindings"
  from "users" where ("id" = $1 or "username_key" = $2) and "deleted_at" is null order by "id" = $1 desc limit 1 for update`;
const clear = `update "users" set "sealed_totp" = null, "totp_step" = 0, "passkey_count" = 0, "session_version" = "session_version" + 1
  where "id" = $1`;
const mark = `with next as (update "revision" set "value" = "value" + 1 where "name" = 'user' returning "value")
  update "users" set "revision" = next."value" from next where "id" = $1 returning "users"."revision"`;

/**
 * For whoever has lost app, passkeys and recovery codes alike and has nobody above, a super administrator above all: what they signed in by
 * beside lets in alone again, and every session ends. Beside a product that runs, whose services hear of it as of any change. Throws
 * `user-not-found`, `totp-not-set`, and `last-sign-in-method` where passkeys are all there is to sign in by.
 */
export async function removeFactors(query: Query, user: string): Promise<Rescued> {
  const id = /^\d{1,9}$/.test(user) ? Number(user) : 0;
  await query(holdOptions);
  const [row] = await query<Found>(find, [id, usernameKeyOf(user)]);
  if (!row) throw new AppError('not-found', 'user-not-found', `There is no user "${user}".`);
  const { totp, passkeys } = row;
  if (!totp && passkeys === 0)
    throw new AppError('invalid', 'totp-not-set', `"${row.username}" (user ${row.id}) has no second factor.`);
  if (passkeys > 0) await requireAnotherWayIn(query, row);
  await query(clear, [row.id]);
  await query('delete from "passkey" where "user_id" = $1', [row.id]);
  await query('delete from "recovery_code" where "user_id" = $1', [row.id]);
  const [marked] = await query<{ revision: string }>(mark, [row.id]);
  await add(query, userChanged, { userId: row.id, revision: Number(marked?.revision) });
  // Nobody is signed in on a command line, and whom it is done to did not do it: the audit log names no actor.
  const what = { actorId: row.id, unattended: true, subject: `user:${row.id}`, after: { by: 'command line' } };
  await add(query, adminAction, { ...what, action: 'user-remove-factors', before: { totp, passkeys } });
  return { id: row.id, username: row.username };
}

async function requireAnotherWayIn(query: Query, { id, username, role, password, bindings }: Found): Promise<void> {
  const rows = await query<{ key: string; value: string }>('select "key", "value" from "option"');
  const texts: Record<OptionKey, string> = {
    ...defaultOptions,
    ...Object.fromEntries(rows.map(({ key, value }) => [key, value])),
  };
  if (password && texts.PasswordLoginEnabled === 'true') return;
  // Where somebody else may have changed who vouches, it is not counted on for a super administrator.
  const methods = openMethods(texts).filter(({ voucher }) => voucher === undefined || !isRoot(role));
  if (methods.some(({ binding }) => Boolean(bindings[binding]))) return;
  const reason = password ? 'signing in by a password is off (PasswordLoginEnabled)' : 'they have no password';
  throw new AppError(
    'conflict',
    'last-sign-in-method',
    `Passkeys are the only way in of "${username}" (user ${id}), because ${reason}. Nothing was removed.`,
  );
}

async function add<C extends EventContract>(query: Query, contract: C, data: EventOf<C>['data']): Promise<void> {
  const { topic, key, value } = outboxRow(contract, 'identity', data);
  await query(INSERT_OUTBOX_ROW, [topic, key, value]);
}
