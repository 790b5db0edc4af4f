import type { ReactNode } from 'react';
import type { Column } from '../../components/tables/table-types.js';
import { Available, BillingTag, CardGroups, CompletionPrice, ModelName, NoRatio, PromptPrice } from './price-cells.js';
import type { PriceRow } from './price-rows.js';
import { price, ratio } from './price-rows.js';
import { TableGroups } from './table-groups.js';

/**
 * Below this width in pixels the list is shown as cards, because the table beside the sidebar would truncate names and
 * prices.
 */
export const PRICE_CARDS_BELOW = 720;

/** The group whose prices are shown, and the callback to choose another one. */
interface ViewedGroup {
  group: string;
  onGroup: (group: string) => void;
}

/** Widths of the column of groups in pixels, by the width of the window. */
const GROUPS_PX = { tight: 88, plain: 128, ample: 288 };
export type GroupsWidth = keyof typeof GROUPS_PX;
/** The table has its full widths from `plain` on, and room for more groups from `ample` on. */
export const GROUPS_FROM = { plain: 1440, ample: 1680 };
const CELL_PADDING = { wide: 24, tight: 16 };

const ratioOf =
  (pick: (row: PriceRow) => number) =>
  (row: PriceRow): ReactNode => {
    if (row.perCall) return <NoRatio />;
    return row.priced ? ratio(pick(row)) : '—';
  };

/** The ratios from which prices are computed; hidden in small windows. */
const ratioColumns: Column<PriceRow>[] = [
  {
    id: 'modelRatio',
    header: 'pricing:column.modelRatio',
    width: 98,
    least: 90,
    align: 'right',
    roomy: true,
    cell: ratioOf(({ modelRatio }) => modelRatio),
  },
  {
    id: 'completionRatio',
    header: 'pricing:column.completionRatio',
    width: 108,
    least: 92,
    align: 'right',
    roomy: true,
    cell: ratioOf(({ completionRatio }) => completionRatio),
  },
  {
    id: 'groupRatio',
    header: 'pricing:column.groupRatio',
    width: 98,
    least: 90,
    align: 'right',
    roomy: true,
    cell: ({ groupRatio }) => ratio(groupRatio),
  },
];

/** Pixels of a column of prices: for its head, and for the longest price, `$0.821918 / 1M tokens`, or text instead of one. */
const AMOUNT_PX = { least: 130, most: 158 };
/** Width of a letter of a price in pixels, rather too much than too little. */
const LETTER_PX = 6.9;

interface AmountWidths {
  prompt: number;
  completion: number;
}
const widest: AmountWidths = { prompt: AMOUNT_PX.most, completion: AMOUNT_PX.most };

/** The widths that the prices of these models need. */
export function amountWidths(rows: PriceRow[]): AmountWidths {
  const priced = rows.filter((row) => row.priced);
  const widthFor = (pick: (row: PriceRow) => number | undefined): number => {
    const letters = priced.map((row) => `${price(pick(row) ?? 0)} / ${row.perCall ? 'call' : '1M tokens'}`.length);
    const needed = Math.ceil(Math.max(0, ...letters) * LETTER_PX) + CELL_PADDING.tight;
    return Math.min(AMOUNT_PX.most, Math.max(AMOUNT_PX.least, needed));
  };
  return {
    prompt: priced.length < rows.length ? AMOUNT_PX.most : widthFor(({ prompt }) => prompt),
    completion: widthFor(({ completion }) => completion),
  };
}

const amountColumns = (least: AmountWidths): Column<PriceRow>[] => [
  {
    id: 'prompt',
    header: 'pricing:column.prompt',
    width: 176,
    least: least.prompt,
    align: 'right',
    mobile: 'field',
    cell: (row) => <PromptPrice row={row} />,
  },
  {
    id: 'completion',
    header: 'pricing:column.completion',
    width: 176,
    least: least.completion,
    align: 'right',
    mobile: 'field',
    cell: ({ priced, completion }) =>
      priced && completion !== undefined ? <CompletionPrice value={completion} /> : null,
  },
];

const groupColumns = (viewed: ViewedGroup, groupsWidth: GroupsWidth): Column<PriceRow>[] => [
  {
    id: 'groups',
    header: 'pricing:column.groups',
    width: Math.max(GROUPS_PX[groupsWidth], GROUPS_PX.plain),
    least: GROUPS_PX[groupsWidth === 'ample' ? 'ample' : 'tight'],
    roomy: 1020,
    only: 'wide',
    text: ({ groups }) => groups.join(', '),
    cell: ({ groups }) => (
      <TableGroups
        groups={groups}
        {...viewed}
        room={GROUPS_PX[groupsWidth] - CELL_PADDING[groupsWidth === 'tight' ? 'tight' : 'wide']}
      />
    ),
  },
  {
    id: 'groups',
    header: 'pricing:column.groups',
    width: 'grow',
    only: 'narrow',
    cell: ({ groups }) => <CardGroups groups={groups} {...viewed} />,
  },
];

export const priceColumns = (
  viewed: ViewedGroup,
  groupsWidth: GroupsWidth,
  amounts: AmountWidths = widest,
): Column<PriceRow>[] => [
  {
    id: 'name',
    header: 'pricing:column.name',
    width: 'grow',
    // What the prices do not need is for the names, which small windows truncate.
    least: 126 + widest.prompt - amounts.prompt + widest.completion - amounts.completion,
    mobile: 'title',
    cell: ({ name }) => <ModelName name={name} />,
  },
  {
    id: 'available',
    header: 'pricing:column.available',
    width: 88,
    least: 76,
    roomy: 840,
    mobile: 'badge',
    cell: ({ available }) => available && <Available />,
  },
  {
    id: 'type',
    header: 'pricing:column.type',
    width: 118,
    least: 104,
    roomy: 920,
    mobile: 'field',
    cell: ({ perCall }) => <BillingTag perCall={perCall} />,
  },
  ...groupColumns(viewed, groupsWidth),
  ...ratioColumns,
  ...amountColumns(amounts),
];
