import { defineEntity, p } from '@mikro-orm/core';
import { RedemptionStatus } from '@tollgate/contracts/api/redemption';
import { AppError } from '@tollgate/chassis';

const redemption = defineEntity({
  name: 'Redemption',
  tableName: 'redemption',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** Id of the administrator who created the code. */
    userId: p.integer(),
    /** Codes are worth money, so they are found by a keyed hash and readable only with the secret key. */
    keyHash: p.text().unique(),
    keySealed: p.text(),
    name: p.text(),
    status: p.integer().default(RedemptionStatus.unused),
    quota: p.bigint('number'),
    /** Unix seconds, like the other times of a code. */
    createdTime: p.bigint('number'),
    /** 0: not redeemed. */
    redeemedTime: p.bigint('number').default(0),
    /** 0: does not expire. */
    expiredTime: p.bigint('number').default(0),
    /** 0: nobody. */
    usedUserId: p.integer().default(0),
    deletedAt: p.datetime().nullable(),
  },
});

/** A code that one user can turn into quota, once. */
export class Redemption extends redemption.class {
  /** Throws for a redeemed code, which must not be changed any more. */
  requireUnredeemed(): void {
    if (this.status === RedemptionStatus.used)
      throw new AppError('conflict', 'redemption-used', '该兑换码已被使用', { params: { id: this.id } });
  }

  /** Throws unless the code could be redeemed; a disabled code must be enabled before it is changed. */
  requireUnused(): void {
    this.requireUnredeemed();
    if (this.status !== RedemptionStatus.unused)
      throw new AppError('conflict', 'redemption-not-unused', '只能修改未使用的兑换码', { params: { id: this.id } });
  }
}
redemption.setClass(Redemption);
