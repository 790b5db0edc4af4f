import type { Redemption as RedemptionReply } from '@tollgate/contracts/api/redemption';
import type { Redemption } from './redemption.entity.js';

export const toRedemptionReply = (redemption: Redemption, key: string): RedemptionReply => ({
  id: redemption.id,
  user_id: redemption.userId,
  key,
  status: redemption.status,
  name: redemption.name,
  quota: redemption.quota,
  created_time: redemption.createdTime,
  redeemed_time: redemption.redeemedTime,
  used_user_id: redemption.usedUserId,
  DeletedAt: redemption.deletedAt?.toISOString() ?? null,
  expired_time: redemption.expiredTime,
});
