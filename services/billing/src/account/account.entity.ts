import { defineEntity, p } from '@mikro-orm/core';

const account = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    userId: p.integer().primary().autoincrement(false),
    /** Everything ever credited, corrections included. */
    credit: p.bigint('number').default(0),
    /** Booked consumption. */
    spent: p.bigint('number').default(0),
    /** Sum of what leases have outstanding. */
    held: p.bigint('number').default(0),
    requestCount: p.bigint('number').default(0),
    /** How it was opened; null while only a booking has made the row. */
    kind: p.text().nullable(),
    inviterId: p.integer().default(0),
    openedAt: p.datetime().nullable(),
    affCode: p.text().nullable().unique(),
    affCount: p.integer().default(0),
    affQuota: p.bigint('number').default(0),
    affHistoryQuota: p.bigint('number').default(0),
    lowBalanceNoticedAt: p.datetime().nullable(),
  },
});

/** A user's wallet. Shown quota = credit − spent; what may still be leased = credit − spent − held. */
export class Account extends account.class {}
account.setClass(Account);
