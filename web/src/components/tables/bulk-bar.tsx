import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import type { Selection } from './table-selection.js';
import type { BulkAction } from './table-types.js';

interface BulkBarProps<Row> {
  selection: Selection<Row>;
  actions: BulkAction<Row>[];
  /** Whether the rows are shown as cards, which have no head row. */
  cards: boolean;
}

/** Covers the head row, so that no row moves when a selection begins. */
export function BulkBar<Row>({ selection, actions, cards }: BulkBarProps<Row>) {
  const { t } = useTranslation();
  const count = selection.rows.size;
  if (count === 0) return null;
  const text =
    selection.pages > 1 ? t('table.selectedPages', { count, pages: selection.pages }) : t('table.selected', { count });
  return (
    <Box
      className="no-print"
      role="toolbar"
      aria-label={text}
      sx={{
        position: cards ? 'static' : 'absolute',
        inset: '0 0 auto 0',
        flexShrink: 0,
        minHeight: 36,
        zIndex: 5,
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        px: 1.5,
        bgcolor: 'primary.soft',
        overflowX: 'auto',
      }}
    >
      <Typography variant="subtitle2" noWrap sx={{ flexShrink: 0 }}>
        {text}
      </Typography>
      {actions.map(({ id, label, icon, danger, run }) => (
        <Button
          key={id}
          size="small"
          startIcon={icon}
          color={danger ? 'error' : 'primary'}
          sx={{ minHeight: 28, flexShrink: 0 }}
          onClick={() => run([...selection.rows.values()], selection.clear)}
        >
          {label}
        </Button>
      ))}
      <Box sx={{ flex: 1 }} />
      <Button size="small" color="inherit" sx={{ minHeight: 28, flexShrink: 0 }} onClick={selection.clear}>
        {t('action.clear')}
      </Button>
    </Box>
  );
}
