import DensityIcon from '@mui/icons-material/DensityMediumOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Density } from '../../app/slices/preferences.js';
import { densityChosen } from '../../app/slices/preferences.js';
import { useAppDispatch } from '../../app/store.js';
import { MenuButton } from '../overlays/menu-button.js';
import { ColumnButton } from './column-button.js';
import type { useColumns } from './table-columns.js';

const densities: Density[] = ['compact', 'standard', 'roomy'];

/** Row height and columns of a table. */
function TableSettings<Row>({ id, columns, density }: Pick<ToolsProps<Row>, 'id' | 'columns' | 'density'>) {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  return (
    <>
      <MenuButton
        label={t('table.density')}
        icon={<DensityIcon fontSize="small" />}
        entries={densities.map((entry) => ({
          id: entry,
          label: t(`table.${entry}`),
          selected: entry === density,
          run: () => dispatch(densityChosen({ table: id, density: entry })),
        }))}
      />
      <ColumnButton columns={columns} />
    </>
  );
}

interface ToolsProps<Row> {
  id: string;
  /** The page's tools. */
  toolbar?: ReactNode;
  /** Rows can be selected. */
  selectable: boolean;
  columns: ReturnType<typeof useColumns<Row>>;
  density: Density;
  cards: boolean;
  selecting: boolean;
  onSelecting: (on: boolean) => void;
}

const toolsBox = { display: 'flex', alignItems: 'flex-end', gap: 1, mb: 1, flexShrink: 0 } as const;
const pageTools = { flex: 1, minWidth: 0, display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' } as const;

/**
 * Above the table: the page's tools, then the settings of the table or, for cards, the selection mode. The page's tools stay mounted when
 * the window changes between the two, because they hold typed text.
 */
export function TableTools<Row>(props: ToolsProps<Row>) {
  const { t } = useTranslation();
  const { id, toolbar, selectable, columns, density, cards, selecting, onSelecting } = props;
  if (cards && !toolbar && !selectable) return null;
  return (
    <Box sx={{ ...toolsBox, flexWrap: cards ? 'wrap' : 'nowrap' }}>
      <Box sx={cards ? { display: 'contents' } : pageTools}>{toolbar}</Box>
      {!cards && <TableSettings id={id} columns={columns} density={density} />}
      {cards && selectable && (
        <Button color="inherit" aria-pressed={selecting} onClick={() => onSelecting(!selecting)} sx={{ ml: 'auto' }}>
          {t('action.select')}
        </Button>
      )}
    </Box>
  );
}
