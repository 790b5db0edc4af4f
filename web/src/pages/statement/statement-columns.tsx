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

/** What is not known of all requests says of how many it is. */
function Cost({ row, quota, signed }: { row: NumberedRow; quota: number | null | undefined; signed?: boolean }) {
  const { t } = useTranslation('statement');
  const { costed = 0, requests } = row;
  if (requests === 0) return null;
  if (quota === null || quota === undefined) return <QuotaText quota={undefined} />;
  return (
    <>
      <QuotaText quota={quota} digits={4} signed={signed} />
      {costed < requests && <Tag color="amber">{t('costed', { costed, requests })}</Tag>}
    </>
  );
}

/** On a card of a channel or a model there is no net amount in view. */
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

/** What makes the net amount. */
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
/** What did not happen in the whole span waits in the settings of the columns. Signed amounts may add up to nothing, and did happen. */
const withoutEmpty = (columns: Column<NumberedRow>[], { totals, items }: Known): Column<NumberedRow>[] =>
  columns.map((column) => {
    const id = column.id as 'late';
    const happened = totals[id] !== 0 || items.some((row) => row[id] !== 0);
    return seldom.has(id) && !happened ? { ...column, defaultHidden: true } : column;
  });

/** What a small window leaves to the details of the rows; the first are shown first where there is more room. */
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
/** The padding of a cell where there is room and where there is not, what a figure takes in tables, and what a head takes. */
const CELL_PX = 24;
const LEAST_CELL_PX = 16;
const FIGURE_PX = 7.5;
const LEAST_PX = 104;

/** A column of money is as wide as its sum, which is at least as long as what it adds up; where signs mix, there is room for more. */
function withRoom(columns: Column<NumberedRow>[], { totals, scale }: Known): Column<NumberedRow>[] {
  const { costed = 0, requests } = totals;
  const tag = costed < requests ? `${costed} of ${requests}` : '';
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

/** What was loaded, and how its money is written. */
interface Known {
  /** Of all rows. */
  totals: StatementSums;
  /** Those of the page in view. */
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

/** Only requests have a channel and a model; all other columns would be empty. */
function isOfRequests(by: StatementKey): boolean {
  return by === 'channel' || by === 'model';
}
