import { type SessionRecord, unixSeconds } from '@tollgate/chassis';
import type { Delivery } from '../delivery/delivery.entity.js';
import type { Passkey } from '../factor/passkey.entity.js';
import type { SignIn } from '../login/sign-in.entity.js';
import type { User } from '../user/user.entity.js';
import { bindingsOf } from '../user/user.reply.js';

export interface Section {
  name: string;
  pages: AsyncIterable<object[]>;
}

/**
 * Fields are listed one by one, so that a secret added later cannot get into the archive. Times are Unix seconds, 0 =
 * never.
 */
export const accountOf = (user: User): object => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  status: user.status,
  group: user.group,
  ...bindingsOf(user),
  inviter_id: user.inviterId,
  setting: user.setting,
  webhook_secret_set: user.sealedWebhookSecret != null,
  has_password: user.passwordHash !== '',
  has_access_token: user.accessTokenHash != null,
  totp: user.sealedTotp != null,
  created_at: unixSeconds(user.createdAt),
  deleted_at: unixSeconds(user.deletedAt),
  erased_at: unixSeconds(user.erasedAt),
});

export const sessionOf = ({ createdAt, renewedAt }: SessionRecord): object => ({
  created_at: createdAt,
  last_seen_at: renewedAt,
});

export const signInOf = (row: SignIn): object => ({
  user_agent: row.userAgent,
  address: row.address,
  created_at: unixSeconds(row.createdAt),
});

export const passkeyOf = (row: Passkey): object => ({
  name: row.name,
  host: row.host,
  backed_up: row.backedUp,
  created_at: unixSeconds(row.createdAt),
  last_used_at: unixSeconds(row.lastUsedAt),
});

export const deliveryOf = (row: Delivery): object => ({
  kind: row.kind,
  via: row.via,
  target: row.target,
  status: row.status,
  attempts: row.attempts,
  reason: row.reason,
  created_at: unixSeconds(row.createdAt),
  finished_at: unixSeconds(row.finishedAt),
});
