import { defineEntity, p } from '@mikro-orm/core';

const booksWatchRow = defineEntity({
  name: 'BooksWatchRow',
  tableName: 'books_watch',
  properties: {
    id: p.integer().primary().autoincrement(false),
    balancedUpTo: p.datetime(),
    faults: p.integer(),
    checkedAt: p.datetime(),
    first: p.text().nullable(),
  },
});

/** How far the books were found to balance, for whichever replica is asked. */
export class BooksWatchRow extends booksWatchRow.class {}
booksWatchRow.setClass(BooksWatchRow);
