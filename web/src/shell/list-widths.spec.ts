import { describe, expect, it } from '@jest/globals';
import { wideJournal } from '../components/journal/journal-columns.js';
import { columnLayout } from '../components/tables/table-columns.js';
import type { Column } from '../components/tables/table-types.js';
import { approvalColumns } from '../pages/approval/approval-columns.js';
import { channelColumns } from '../pages/channel/channel-columns.js';
import { logColumns } from '../pages/log/log-columns.js';
import { periodColumns } from '../pages/statement/period-columns.js';
import { drawingColumns } from '../pages/midjourney/drawing-columns.js';
import { CARDS_BELOW as PRICE_CARDS, priceColumns } from '../pages/pricing/price-columns.js';
import { CARDS_BELOW as RATIO_CARDS, ratioColumns } from '../pages/setting/ratio/ratio-table.js';
import { redemptionColumns } from '../pages/redemption/redemption-columns.js';
import { tokenColumns } from '../pages/token/token-columns.js';
import { allColumns, ownColumns } from '../pages/topup/order-columns.js';
import { userColumns } from '../pages/user/user-columns.js';

/** The frame of a page, its sidebar open, and the border of a table; a card has a border and a padding of its own. */
const FRAME = 200 + 2 * 24 + 2;
/** The same below 960 pixels. */
const TIGHT_FRAME = 200 + 2 * 16 + 2;
const CARD = 2 * (16 + 1);
const CHECK = 44;
const CHEVRON = 40;

interface List {
  name: string;
  columns: Pick<Column<never>, 'id' | 'width' | 'least' | 'roomy' | 'defaultHidden' | 'only'>[];
  /** Beside the columns. */
  extra: number;
  /** The narrowest window in which it is a table; where nothing is said it may be scrolled in one of less than 960 pixels. */
  from?: number;
}
const lists: List[] = [
  { name: 'users', columns: userColumns, extra: 120 },
  { name: 'tokens', columns: tokenColumns, extra: CHECK + 120 },
  { name: 'one’s own orders', columns: ownColumns, extra: CARD + 100 },
  { name: 'all orders', columns: allColumns, extra: CARD + 172 },
  { name: 'channels', columns: channelColumns, extra: CHECK + 116 },
  { name: 'the log of an administrator', columns: logColumns(true), extra: CHEVRON },
  { name: 'redemption codes', columns: redemptionColumns, extra: CHECK + 120 },
  { name: 'approvals', columns: approvalColumns, extra: CHEVRON + 108 },
  { name: 'drawings', columns: drawingColumns(true), extra: 64 },
  { name: 'one’s own drawings', columns: drawingColumns(false).filter(({ minRole = 0 }) => minRole === 0), extra: 64 },
  {
    name: 'prices',
    columns: priceColumns({ group: '', onGroup: () => undefined }),
    extra: CHECK,
    from: PRICE_CARDS,
  },
  {
    name: 'prices to set',
    columns: ratioColumns(
      () => false,
      () => undefined,
    ),
    extra: CARD + 88,
    from: RATIO_CARDS,
  },
  { name: 'closed periods', columns: periodColumns, extra: CARD + CHEVRON + 84 },
  { name: 'postings', columns: wideJournal, extra: 64 },
];

const roomOf = ({ roomy = false }: List['columns'][number]): number => (roomy === true ? 1280 : Number(roomy));

describe.each(lists)('the columns of $name', ({ columns, extra, from = 960 }) => {
  const needs = (window: number): number =>
    columnLayout(
      columns.filter(
        (column) => (column.only ?? 'wide') === 'wide' && !column.defaultHidden && roomOf(column) <= window,
      ) as Column<unknown>[],
      extra,
    ).minimum;
  const windows = [...new Set([from, 960, 1280, ...columns.map(roomOf)])].filter((window) => window >= from);

  it.each(windows.sort((one, other) => one - other))('fit a window of %i pixels', (window) => {
    expect(needs(window)).toBeLessThanOrEqual(window - (window < 960 ? TIGHT_FRAME : FRAME));
  });
});
