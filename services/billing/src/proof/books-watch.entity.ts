import { defineEntity, p } from '@mikro-orm/core';

const booksWatchRow = defineEntity({
  name: 'BooksWatchRow',
  tableName: 'books_watch',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** Up to this time journal and usage log were compared and agree. */
    balancedUpTo: p.datetime(),
    /** From this time on, up to `balancedUpTo`, they were compared without a gap. */
    comparedFrom: p.datetime().nullable(),
    /**
     * Up to this time the watch has looked. What lies after `balancedUpTo` could not be compared, because the usage log
     * lacks rows on purpose.
     */
    lookedUpTo: p.datetime().nullable(),
    /** Start of the current pass over the whole journal, and end of the last one. */
    recountingSince: p.datetime().nullable(),
    recountedAt: p.datetime().nullable(),
    faults: p.integer(),
    checkedAt: p.datetime(),
    first: p.text().nullable(),
  },
});

/** How far the journal was found to balance; stored, so that every replica can report it. */
export class BooksWatchRow extends booksWatchRow.class {}
booksWatchRow.setClass(BooksWatchRow);
