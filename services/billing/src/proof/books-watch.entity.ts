import { defineEntity, p } from '@mikro-orm/core';

const booksWatchRow = defineEntity({
  name: 'BooksWatchRow',
  tableName: 'books_watch',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** Up to here journal and usage log were compared and are the same, */
    balancedUpTo: p.datetime(),
    /** since here without a gap. */
    comparedFrom: p.datetime().nullable(),
    /** Up to here it was looked at; what lies behind the mark cannot be compared, because the log has no rows on purpose. */
    lookedUpTo: p.datetime().nullable(),
    /** Of the pass over the whole journal that runs, and of the last one that ended. */
    recountingSince: p.datetime().nullable(),
    recountedAt: p.datetime().nullable(),
    faults: p.integer(),
    checkedAt: p.datetime(),
    first: p.text().nullable(),
  },
});

/** How far the books were found to balance, for whichever replica is asked. */
export class BooksWatchRow extends booksWatchRow.class {}
booksWatchRow.setClass(BooksWatchRow);
