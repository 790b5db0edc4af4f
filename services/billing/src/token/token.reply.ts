import type { TokenRecord } from '@tollgate/contracts';
import type { Token as TokenReply } from '@tollgate/contracts/api/token';
import type { Token } from './token.entity.js';

/** A token as its owner sees it; `key` is without `sk-`. */
export const toTokenReply = (token: Token, key: string, nowSeconds: number): TokenReply => ({
  id: token.id,
  user_id: token.userId,
  key,
  status: token.statusAt(nowSeconds),
  name: token.name,
  created_time: token.createdTime,
  accessed_time: token.accessedTime,
  expired_time: token.expiredTime,
  remain_quota: Math.max(0, token.remainQuota()),
  used_quota: token.spent,
  unlimited_quota: token.unlimitedQuota,
  model_limits_enabled: token.modelLimitsEnabled,
  model_limits: token.modelLimits,
  allow_ips: token.allowIps,
  group: token.group,
  DeletedAt: token.deletedAt?.toISOString() ?? null,
});

/** A token as the relay needs it. */
export const toTokenRecord = (token: Token, nowSeconds: number): TokenRecord => ({
  id: token.id,
  userId: token.userId,
  keyHash: token.keyHash,
  keyHint: token.keyHint,
  name: token.name,
  status: token.statusAt(nowSeconds),
  expiredTime: token.expiredTime,
  unlimitedQuota: token.unlimitedQuota,
  remainQuota: token.remainQuota(),
  usedQuota: token.spent,
  modelLimitsEnabled: token.modelLimitsEnabled,
  modelLimits: token.modelList(),
  allowIps: token.allowedAddresses(),
  group: token.group,
  revision: token.revision,
});
