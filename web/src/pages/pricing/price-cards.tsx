import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowView } from '../../components/tables/table-body.js';
import { TableCards } from '../../components/tables/table-cards.js';
import { TableFrame } from '../../components/tables/table-style.js';
import { useExpanded } from '../../components/tables/use-expanded.js';
import type { PriceRow } from './price-rows.js';
import type { PriceView } from './price-table.js';

const STEP = 50;

interface PriceCardsProps {
  view: PriceView;
  label: string;
  selecting: boolean;
}

/** The price list in narrow windows: a card per model with its price, and all other facts in an expandable part. */
export function PriceCards({ view, label, selecting }: PriceCardsProps) {
  const { t } = useTranslation('pricing');
  const [shown, setShown] = useState(STEP);
  const expansion = useExpanded();
  const { rows, columns, selected, onSelect } = view;
  const names = useMemo(() => new Map(rows.map(({ id, name }) => [id, name])), [rows]);
  const has = (id: number): boolean => selected.has(names.get(id) ?? '');
  const cards: RowView<PriceRow> = {
    ...expansion,
    columns,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
    selection: { has, toggle: (id) => onSelect([names.get(id) ?? ''], !has(id)) },
  };
  return (
    <>
      <TableFrame data-fill="rows">
        <TableCards items={rows.slice(0, shown)} view={cards} label={label} selecting={selecting} />
      </TableFrame>
      {rows.length > shown && (
        <Button fullWidth onClick={() => setShown(shown + STEP)} sx={{ mt: 1 }}>
          {t('more', { count: rows.length - shown })}
        </Button>
      )}
    </>
  );
}
