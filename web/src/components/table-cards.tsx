import ExpandIcon from '@mui/icons-material/ExpandMore';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { CheckBox } from './check-box.js';
import { RowActions } from './row-actions.js';
import type { RowView } from './table-body.js';
import type { Column } from './table-types.js';

function Fields<Row>({ row, columns }: { row: Row; columns: Column<Row>[] }) {
  const { t } = useTranslation();
  return (
    <Box
      component="dl"
      sx={{ display: 'grid', gridTemplateColumns: 'repeat(3, minmax(0, 1fr))', columnGap: 1.5, rowGap: 1, m: 0 }}
    >
      {columns.map(({ id, header, cell }) => (
        <Box key={id} sx={{ minWidth: 0 }}>
          <Typography component="dt" variant="caption" sx={{ color: 'text.tertiary' }}>
            {t(header)}
          </Typography>
          <Typography component="dd" variant="body2" sx={{ m: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {cell(row)}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}

interface CardProps<Row> {
  row: Row;
  view: RowView<Row>;
  selecting: boolean;
}

function RowCard<Row>({ row, view, selecting }: CardProps<Row>) {
  const { t } = useTranslation();
  const { columns, rowId, rowName, rowActions, expand, expanded, onExpand, selection, tone } = view;
  const id = rowId(row);
  const open = expanded.has(id);
  const part = (place: Column<Row>['mobile']) => columns.filter(({ mobile }) => mobile === place);
  const actions = rowActions?.(row) ?? [];
  return (
    <Box
      component="li"
      data-row={id}
      sx={{
        p: 1.5,
        borderBottom: '1px solid',
        borderColor: 'border.subtle',
        bgcolor: tone?.(row) ? 'row.disabled' : 'background.paper',
      }}
    >
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1 }}>
        {selecting && selection && (
          <CheckBox
            checked={selection.has(id)}
            onToggle={(range) => selection.toggle(id, range)}
            label={t('table.selectRow', { name: rowName(row) })}
          />
        )}
        <Box
          sx={{
            flex: 1,
            minWidth: 0,
            fontWeight: 600,
            overflow: 'hidden',
            textOverflow: 'ellipsis',
            whiteSpace: 'nowrap',
          }}
        >
          {part('title').map((column) => (
            <span key={column.id}>{column.cell(row)}</span>
          ))}
        </Box>
        {part('badge').map((column) => (
          <span key={column.id}>{column.cell(row)}</span>
        ))}
      </Stack>
      <Fields row={row} columns={part('field').slice(0, 3)} />
      <Stack direction="row" sx={{ mt: 0.5, alignItems: 'center', justifyContent: 'flex-end' }}>
        <RowActions actions={actions} visible={1} />
        <IconButton
          size="small"
          aria-expanded={open}
          aria-label={t(open ? 'action.collapse' : 'action.expand')}
          onClick={() => onExpand(id, !open)}
        >
          <ExpandIcon sx={{ fontSize: 20, transform: open ? 'rotate(180deg)' : 'none' }} />
        </IconButton>
      </Stack>
      {open && (
        <Box sx={{ mt: 1, pt: 1, borderTop: '1px solid', borderColor: 'border.subtle' }}>
          <Fields row={row} columns={[...part('field').slice(3), ...part(undefined)]} />
          {expand?.(row)}
        </Box>
      )}
    </Box>
  );
}

/** The narrow layout: one card per row, with title and badge, three fields and one action in view. */
export function TableCards<Row>({
  items,
  view,
  label,
  selecting,
}: {
  items: Row[];
  view: RowView<Row>;
  label: string;
  selecting: boolean;
}) {
  return (
    <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {items.map((row) => (
        <RowCard key={view.rowId(row)} row={row} view={view} selecting={selecting} />
      ))}
    </Box>
  );
}
