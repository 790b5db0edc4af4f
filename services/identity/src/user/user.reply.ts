import type { Balance, UserRecord } from '@tollgate/contracts';
import type { SessionUser, User as UserReply, UserSetting } from '@tollgate/contracts/api/user';
import type { User } from './user.entity.js';

export const toSessionUser = (user: User): SessionUser => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  status: user.status,
  group: user.group,
});

/** The user's email address and ids at providers; empty where there is none. */
export const bindingsOf = (user: User) => ({
  email: user.email,
  github_id: user.githubId ?? '',
  oidc_id: user.oidcId ?? '',
  wechat_id: user.wechatId ?? '',
  telegram_id: user.telegramId ?? '',
  linux_do_id: user.linuxDoId ?? '',
});

/** Fields are listed one by one, so that no password, access token or webhook secret can get into the reply. */
export const toUserReply = (user: User, balance: Balance): UserReply => ({
  ...toSessionUser(user),
  ...bindingsOf(user),
  quota: balance.quota,
  used_quota: balance.usedQuota,
  request_count: balance.requestCount,
  aff_code: balance.affCode,
  aff_count: balance.affCount,
  aff_quota: balance.affQuota,
  aff_history_quota: balance.affHistoryQuota,
  inviter_id: user.inviterId,
  DeletedAt: user.deletedAt?.toISOString() ?? null,
  setting: JSON.stringify(toSetting(user)),
  two_factor: user.hasSecondFactor(),
});

/** Contains whether a webhook secret is set, never the secret. */
export const toSetting = ({ setting: { language: _, ...setting }, sealedWebhookSecret }: User): UserSetting => ({
  ...setting,
  ...(setting.notify_type === 'webhook' && { webhook_secret_set: sealedWebhookSecret != null }),
});

export const toUserRecord = (user: User): UserRecord => ({
  id: user.id,
  username: user.username,
  displayName: user.displayName,
  role: user.role,
  status: user.status,
  group: user.group,
  sessionVersion: user.sessionVersion,
  ...(user.setting.quota_warning_threshold !== undefined && {
    quotaWarningThreshold: user.setting.quota_warning_threshold,
  }),
  ...(!user.canBeNotified() && { canBeNotified: false }),
  acceptUnsetModelRatio: user.setting.accept_unset_model_ratio_model ?? false,
  ...(user.hasSecondFactor() && { secondFactor: true }),
  revision: user.revision,
});
