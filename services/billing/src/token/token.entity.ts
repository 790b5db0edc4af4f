import { defineEntity, p } from '@mikro-orm/core';
import { TokenStatus } from '@tollgate/contracts';

const token = defineEntity({
  name: 'Token',
  tableName: 'token',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    name: p.text(),
    keyHash: p.text().unique(),
    keySealed: p.text(),
    keyHint: p.text(),
    /** The owner's setting: 1 (enabled) or 2 (disabled). Expired and exhausted are derived from time and budget. */
    status: p.integer().default(1),
    /** Unix seconds; −1 = never. */
    expiredTime: p.bigint('number').default(-1),
    unlimitedQuota: p.boolean().default(false),
    credit: p.bigint('number').default(0),
    spent: p.bigint('number').default(0),
    held: p.bigint('number').default(0),
    modelLimitsEnabled: p.boolean().default(false),
    modelLimits: p.text().default(''),
    /** One address or range per line. */
    allowIps: p.text().default(''),
    group: p.text().default(''),
    createdTime: p.bigint('number'),
    accessedTime: p.bigint('number').default(0),
    revision: p.bigint('number').default(0),
    deletedAt: p.datetime().nullable(),
  },
});

/** A token with its budget; credit, spent and held have the same meaning as for a wallet. */
export class Token extends token.class {
  remainQuota(): number {
    return this.credit - this.spent;
  }

  isExpired(nowSeconds: number): boolean {
    return this.expiredTime !== -1 && this.expiredTime < nowSeconds;
  }

  /** Whether a limited budget is used up, or was never set. */
  isExhausted(): boolean {
    return !this.unlimitedQuota && this.remainQuota() <= 0;
  }

  /** Whether the token cannot be used, regardless of its setting. */
  isOver(nowSeconds: number): boolean {
    return this.isExpired(nowSeconds) || this.isExhausted();
  }

  /** The status that the owner and the relay see. Expiry is computed here, so no job is needed for it. */
  statusAt(nowSeconds: number): number {
    if (this.status !== TokenStatus.enabled) return this.status;
    if (this.isExpired(nowSeconds)) return TokenStatus.expired;
    return this.isExhausted() ? TokenStatus.exhausted : TokenStatus.enabled;
  }

  modelList(): string[] {
    return this.modelLimits === '' ? [] : this.modelLimits.split(',');
  }

  allowedAddresses(): string[] {
    return this.allowIps === '' ? [] : this.allowIps.split('\n');
  }
}
token.setClass(Token);
