import { defineEntity, p } from '@mikro-orm/core';

const account = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    userId: p.integer().primary().autoincrement(false),
    /** Sum of everything ever credited, corrections included. */
    credit: p.bigint('number').default(0),
    /** Booked consumption. */
    spent: p.bigint('number').default(0),
    /** Sum of the outstanding amounts of all leases. */
    held: p.bigint('number').default(0),
    requestCount: p.bigint('number').default(0),
    /** How the account was opened; null while the row was only created by a booking. */
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

/** A user's wallet. Its shown quota is credit − spent; what may still be leased is credit − spent − held. */
export class Account extends account.class {}
account.setClass(Account);
