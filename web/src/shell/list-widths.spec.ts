import { describe, expect, it } from '@jest/globals';
import { wideJournal } from '../components/journal/journal-columns.js';
import { CARDS_BELOW } from '../components/basics/use-media.js';
import { CARD_PX, CHECK_PX, CHEVRON_PX, columnLayout, roomOf } from '../components/tables/table-columns.js';
import type { Column } from '../components/tables/table-types.js';
import { approvalColumns } from '../pages/approval/approval-columns.js';
import { channelColumns } from '../pages/channel/channel-columns.js';
import { logColumns } from '../pages/log/log-columns.js';
import { periodColumns } from '../pages/statement/period-columns.js';
import { changeColumns } from '../pages/audit/change-section.js';
import { refusedColumns } from '../pages/audit/refused-section.js';
import { tagColumns } from '../pages/channel/tag-table.js';
import { invoiceColumns } from '../pages/invoice/invoice-page.js';
import { taskColumns } from '../pages/task/task-page.js';
import { drawingColumns } from '../pages/midjourney/drawing-columns.js';
import { PRICE_CARDS_BELOW, priceColumns } from '../pages/pricing/price-columns.js';
import { RATIO_CARDS_BELOW, ratioColumns } from '../pages/setting/ratio/ratio-table.js';
import { redemptionColumns } from '../pages/redemption/redemption-columns.js';
import { tokenColumns } from '../pages/token/token-columns.js';
import { allColumns, ownColumns } from '../pages/topup/order-columns.js';
import { userColumns } from '../pages/user/user-columns.js';

/** Padding of a page, its open sidebar and the border of a table, in pixels. */
const FRAME = 200 + 2 * 24 + 2;
/** The same in windows narrower than 960 pixels. */
const TIGHT_FRAME = 200 + 2 * 16 + 2;

interface List {
  name: string;
  columns: Pick<Column<never>, 'id' | 'width' | 'least' | 'roomy' | 'defaultHidden' | 'only' | 'minRole'>[];
  /** Width of everything beside the columns, in pixels. */
  extra: number;
  /** Its rows can be opened at every width; the chevron is part of `extra`. */
  opens?: boolean;
  /** No column is moved to the details of a row. */
  plain?: boolean;
  /** Columns of administrators that only windows wider than a small desktop have room for. */
  wider?: string[];
  /** The narrowest window in which the list is a table. */
  from?: number;
}
const lists: List[] = [
  { name: 'users', columns: userColumns, extra: 120 },
  { name: 'tokens', columns: tokenColumns, extra: CHECK_PX + 120 },
  { name: 'one’s own orders', columns: ownColumns, extra: CARD_PX + 100 },
  { name: 'all orders', columns: allColumns, extra: CARD_PX + 172 },
  { name: 'channels', columns: channelColumns, extra: CHECK_PX + 116 },
  { name: 'channels by tag', columns: tagColumns, extra: CHEVRON_PX + 192, opens: true },
  {
    name: 'the log of an administrator',
    columns: logColumns(true),
    extra: CHEVRON_PX,
    opens: true,
    wider: ['retry', 'details'],
  },
  { name: 'the log of a user', columns: logColumns(false), extra: CHEVRON_PX, opens: true },
  { name: 'redemption codes', columns: redemptionColumns, extra: CHECK_PX + 120 },
  { name: 'approvals', columns: approvalColumns, extra: CHEVRON_PX + 108, opens: true },
  { name: 'drawings', columns: drawingColumns(true), extra: 64, wider: ['code', 'promptEn'] },
  { name: 'one’s own drawings', columns: drawingColumns(false), extra: 64 },
  { name: 'songs', columns: taskColumns, extra: 64 },
  { name: 'changes', columns: changeColumns, extra: 96 },
  { name: 'refused calls', columns: refusedColumns, extra: 64 },
  { name: 'invoices', columns: invoiceColumns, extra: 0 },
  {
    name: 'prices',
    columns: priceColumns({ group: '', onGroup: () => undefined }, 'tight'),
    extra: CHECK_PX,
    plain: true,
    from: PRICE_CARDS_BELOW,
  },
  {
    name: 'prices to set',
    columns: ratioColumns(() => false, { stage: () => undefined, leave: () => undefined }),
    extra: CARD_PX + 88,
    from: RATIO_CARDS_BELOW,
  },
  { name: 'closed periods', columns: periodColumns, extra: CARD_PX + CHEVRON_PX + 84, opens: true },
  { name: 'postings', columns: wideJournal, extra: 64 },
];

describe.each(lists)('the columns of $name', ({ columns, extra, opens, plain, wider = [], from = CARDS_BELOW }) => {
  const inTable = columns.filter(({ only = 'wide', defaultHidden }) => only === 'wide' && !defaultHidden);
  const needs = (window: number): number => {
    const shown = inTable.filter((column) => roomOf(column) <= window);
    const chevron = shown.length < inTable.length && !opens && !plain ? CHEVRON_PX : 0;
    return columnLayout(shown as Column<unknown>[], extra + chevron).minimum;
  };
  const windows = [...new Set([from, 959, 960, 1280, ...inTable.map(roomOf)])].filter((window) => window >= from);

  it.each(windows.sort((one, other) => one - other))('fit a window of %i pixels', (window) => {
    expect(needs(window)).toBeLessThanOrEqual(window - (window < 960 ? TIGHT_FRAME : FRAME));
  });

  it('are all shown in a small desktop window, or else in a wide one', () => {
    expect(inTable.filter((column) => roomOf(column) > 1280).map(({ id }) => id)).toEqual(wider);
    expect(inTable.filter((column) => roomOf(column) > 1920)).toEqual([]);
  });
});
