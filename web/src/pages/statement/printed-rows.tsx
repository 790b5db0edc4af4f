import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { NumberedRow } from '../../api/statement.api.js';
import { useSay } from '../../app/i18n/text-keys.js';
import { PlainTable } from '../../components/tables/plain-table.js';
import { formatUnits } from '../../components/money/quota-format.js';
import type { Column } from '../../components/tables/table-types.js';
import type { WholeStatement } from './use-whole-statement.js';
import { MOST_PRINTED } from './use-whole-statement.js';

interface PrintedRowsProps {
  /** Absent while nothing is printed. */
  whole: WholeStatement | undefined;
  columns: Column<NumberedRow>[];
}

/** Every row and the sums, shown on paper only. */
export function PrintedRows({ whole, columns }: PrintedRowsProps) {
  const { t } = useTranslation('statement');
  const say = useSay();
  if (!whole) return null;
  const { items: rows, totals, total = 0, moved } = whole;
  const sums: NumberedRow = { ...totals, period: t('total'), key: '', row: -1 };
  const cellsOf = (row: NumberedRow) => columns.map(({ id, cell }) => (row === sums && id === 'key' ? '' : cell(row)));
  return (
    <Box className="print-only">
      {rows.length < total && (
        <p>{t('printedSome', { shown: formatUnits(MOST_PRINTED), total: formatUnits(total) })}</p>
      )}
      {moved && <p>{t('printedMoved')}</p>}
      <PlainTable
        label={t('title')}
        head={columns.map(({ header, align }) => (align === 'right' ? say(header) : { words: say(header) }))}
        rows={[...rows, sums].map((row) => ({ id: String(row.row), cells: cellsOf(row) }))}
      />
    </Box>
  );
}
