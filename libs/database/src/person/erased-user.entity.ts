import { defineEntity, p } from '@mikro-orm/core';

const erasedUser = defineEntity({
  name: 'ErasedUserRow',
  tableName: 'erased_user',
  properties: {
    userId: p.integer().primary().autoincrement(false),
    pseudonym: p.text(),
    erasedAt: p.datetime().defaultRaw('now()'),
    /** Over the tables of the service that were made. */
    passes: p.integer().default(0),
    /** Null: all are made. */
    nextPassAt: p.datetime().nullable(),
    /** How far the pass that is under way has come. */
    mark: p.text().nullable(),
  },
});

/** A user whose names a service was told to forget. */
export class ErasedUserRow extends erasedUser.class {}
erasedUser.setClass(ErasedUserRow);
