import { defineEntity, p } from '@mikro-orm/core';

const erasedUser = defineEntity({
  name: 'ErasedUserRow',
  tableName: 'erased_user',
  properties: {
    userId: p.integer().primary().autoincrement(false),
    pseudonym: p.text(),
    erasedAt: p.datetime().defaultRaw('now()'),
    /** Number of completed passes over the service's tables. */
    passes: p.integer().default(0),
    /** Null when all passes are completed. */
    nextPassAt: p.datetime().nullable(),
    /** Progress of the current pass. */
    mark: p.text().nullable(),
  },
});

/** A user whose identity the service must erase from its tables. */
export class ErasedUserRow extends erasedUser.class {}
erasedUser.setClass(ErasedUserRow);
