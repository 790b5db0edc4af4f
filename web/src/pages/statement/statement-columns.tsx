import type { StatementKey } from '@tollgate/contracts/api/statement-choices';
import type { StatementSums } from '@tollgate/contracts/api/statement';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { NumberedRow } from '../../api/statement.api.js';
import type { QuotaScale } from '../../components/money/quota-format.js';
import { formatQuota, formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import type { Column } from '../../components/tables/table-types.js';
import { Tag } from '../../components/texts/tag.js';

function Key({ row, by }: { row: NumberedRow; by: StatementKey }) {
  const { t } = useTranslation('statement');
  if (row.key === '') return <>{t('noKey')}</>;
  return by === 'user' ? <Link to={`/user/edit/${row.key}`}>{row.key}</Link> : <>{row.key}</>;
}

function Late({ count }: { count: number }) {
  const { t } = useTranslation('statement');
  return count === 0 ? null : <Tag color="amber">{t('lateRows', { count })}</Tag>;
}

const amount = (
  id: keyof StatementSums &
    ('consumed' | 'returned' | 'corrected' | 'paid' | 'refunded' | 'redeemed' | 'granted' | 'adjusted' | 'net'),
  more: Partial<Column<NumberedRow>> & { signed?: boolean } = {},
): Column<NumberedRow> => {
  const { signed, ...rest } = more;
  return {
    id,
    header: `statement:column.${id}`,
    width: 118,
    align: 'right',
    cell: (row) => (row[id] === 0 ? null : <QuotaText quota={row[id]} digits={4} signed={signed} />),
    ...rest,
  };
};

/** A cost or margin. If it is known for only some requests, a tag shows for how many. */
function Cost({ row, quota, signed }: { row: NumberedRow; quota: number | null | undefined; signed?: boolean }) {
  const { t } = useTranslation('statement');
  const { costed = 0, requests } = row;
  if (requests === 0) return null;
  if (quota === null || quota === undefined) return <QuotaText quota={undefined} />;
  return (
    <>
      <QuotaText quota={quota} digits={4} signed={signed} />
      {costed < requests && (
        <Tag color="amber" title={t('costed', { costed: formatUnits(costed), requests: formatUnits(requests) })}>
          {t('costedOf', { costed: formatUnits(costed), requests: formatUnits(requests) })}
        </Tag>
      )}
    </>
  );
}

/**
 * Columns of cost and margin. `inView`: the margin is on the card as well, which has room for it on cards of channels
 * and models, since these show no net amount.
 */
const costColumns = (inView: boolean): Column<NumberedRow>[] => [
  {
    id: 'cost',
    header: 'statement:column.cost',
    width: 118,
    align: 'right',
    cell: (row) => <Cost row={row} quota={row.cost} />,
  },
  {
    id: 'margin',
    header: 'statement:column.margin',
    width: 118,
    align: 'right',
    mobile: inView ? 'field' : undefined,
    cell: (row) => <Cost row={row} quota={row.margin} signed />,
  },
];

/** The movements that add up to the net amount. */
const movements: Column<NumberedRow>[] = [
  amount('returned'),
  amount('corrected', { signed: true }),
  amount('paid'),
  amount('refunded'),
  amount('redeemed'),
  amount('granted'),
  amount('adjusted', { signed: true }),
];

const seldom: ReadonlySet<string> = new Set([...movements.map(({ id }) => id), 'late']);
/**
 * Hides columns of movements that did not occur in the whole span; the column settings still offer them. The rows are
 * checked as well, since signed amounts may add up to zero.
 */
const withoutEmpty = (columns: Column<NumberedRow>[], { totals, items }: Known): Column<NumberedRow>[] =>
  columns.map((column) => {
    const id = column.id as 'late';
    const happened = totals[id] !== 0 || items.some((row) => row[id] !== 0);
    return seldom.has(id) && !happened ? { ...column, defaultHidden: true } : column;
  });

/**
 * Columns that narrow windows move to the details of the rows. The first ones come back first as the window gets wider.
 */
const foldable = [
  'margin',
  'late',
  'cost',
  'paid',
  'redeemed',
  'granted',
  'returned',
  'corrected',
  'refunded',
  'adjusted',
];
/**
 * In pixels: the padding of a cell with and without much room, the width of a digit in tables, and the least width of a
 * column, which its header needs.
 */
const CELL_PX = 24;
const LEAST_CELL_PX = 16;
const FIGURE_PX = 7.5;
const LEAST_PX = 104;

/**
 * Widths of money columns. A sum is usually at least as long as its summands, so its text decides the width; one more
 * digit is added for columns with mixed signs.
 */
function withRoom(columns: Column<NumberedRow>[], { totals, scale }: Known): Column<NumberedRow>[] {
  const { costed = 0, requests } = totals;
  // As long as the tag of a cell in either language.
  const tag = costed < requests ? `${formatUnits(costed)} of ${formatUnits(requests)}` : '';
  return columns.map((column) => {
    const { id, align } = column;
    const sum = totals[id as keyof StatementSums];
    if (align !== 'right' || id === 'requests' || typeof sum !== 'number') return column;
    const text = formatQuota(sum, scale, { digits: 4, signed: true }) + (isOfCost(id) ? tag : '');
    const width = Math.max(LEAST_PX, CELL_PX + Math.ceil((text.length + 1) * FIGURE_PX));
    return { ...column, width, least: width - CELL_PX + LEAST_CELL_PX };
  });
}

const isOfCost = (id: string): boolean => id === 'cost' || id === 'margin';

/** The loaded statement, and how amounts are formatted. */
interface Known {
  /** Sums of all rows. */
  totals: StatementSums;
  /** The rows of the current page. */
  items: readonly NumberedRow[];
  scale: QuotaScale;
}

export const columnsFor = (by: StatementKey, own: boolean, known?: Known): Column<NumberedRow>[] => {
  const columns = allColumns(by, own);
  return known ? foldColumns(withRoom(withoutEmpty(columns, known), known), foldable) : columns;
};

const allColumns = (by: StatementKey, own: boolean): Column<NumberedRow>[] => [
  {
    id: 'period',
    header: 'statement:column.period',
    width: 108,
    least: 92,
    mobile: 'title',
    cell: (row) => row.period,
  },
  ...(by === 'none'
    ? []
    : [
        {
          id: 'key',
          header: `statement:by.${by}`,
          width: 'grow',
          least: 110,
          mobile: 'badge',
          text: (row: NumberedRow) => row.key,
          cell: (row: NumberedRow) => <Key row={row} by={by} />,
        } satisfies Column<NumberedRow>,
      ]),
  {
    id: 'requests',
    header: 'statement:column.requests',
    width: 92,
    least: 80,
    align: 'right',
    mobile: 'field',
    cell: (row) => formatUnits(row.requests),
  },
  { id: 'late', header: 'statement:column.late', width: 100, least: 88, cell: (row) => <Late count={row.late} /> },
  amount('consumed', { mobile: 'field' }),
  ...(isOfRequests(by) ? [amount('corrected', { signed: true })] : movements),
  ...(own ? [] : costColumns(isOfRequests(by))),
  ...(isOfRequests(by) ? [] : [amount('net', { signed: true, mobile: 'field' })]),
];

/** Grouped by channel or model a statement contains requests only, so the columns of other movements would be empty. */
function isOfRequests(by: StatementKey): boolean {
  return by === 'channel' || by === 'model';
}
