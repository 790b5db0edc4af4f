import ExpandIcon from '@mui/icons-material/ExpandMore';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../forms/check-box.js';
import { Fields } from './row-fields.js';
import { RowActions } from './row-actions.js';
import type { RowView } from './table-body.js';
import type { Column } from './table-types.js';

interface CardProps<Row> {
  row: Row;
  view: RowView<Row>;
  selecting: boolean;
}

const partOf = <Row,>(columns: Column<Row>[], place: Column<Row>['mobile']): Column<Row>[] =>
  columns.filter(({ mobile }) => mobile === place);

function Chevron({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  const { t } = useTranslation();
  return (
    <IconButton
      size="small"
      aria-expanded={open}
      aria-label={t(open ? 'action.collapse' : 'action.expand')}
      onClick={onToggle}
    >
      <ExpandIcon sx={{ fontSize: 20, transform: open ? 'rotate(180deg)' : 'none' }} />
    </IconButton>
  );
}

/** Cut to one line until the card is opened; the clip margin leaves room for the focus outline. */
const cut = {
  minWidth: 0,
  overflow: 'clip',
  overflowClipMargin: '4px',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  '[data-open] > * > &, [data-open] > * > & *': { whiteSpace: 'normal', overflowWrap: 'anywhere' },
};

function CardHead<Row>({ row, view, selecting, children }: CardProps<Row> & { children: ReactNode }) {
  const { t } = useTranslation();
  const { columns, rowId, rowName, selection } = view;
  const id = rowId(row);
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1 }}>
      {selecting && selection && (
        <CheckBox
          checked={selection.has(id)}
          onToggle={(range) => selection.toggle(id, range)}
          label={t('table.selectRow', { name: rowName(row) })}
        />
      )}
      <Box sx={{ ...cut, flex: 1, fontWeight: 600, '& > span + span': { ml: 1 } }}>
        {partOf(columns, 'title').map((column) => (
          <span key={column.id}>{column.cell(row)}</span>
        ))}
        {partOf(columns, 'number').length > 0 && (
          <Box component="span" sx={{ color: 'text.tertiary', fontWeight: 400 }}>
            #{id}
          </Box>
        )}
      </Box>
      {partOf(columns, 'badge').map((column) => (
        <Box key={column.id} component="span" sx={{ ...cut, maxWidth: '60%', '& > *': { verticalAlign: 'middle' } }}>
          {column.cell(row)}
        </Box>
      ))}
      {children}
    </Stack>
  );
}

function CardRest<Row>({ row, view }: { row: Row; view: RowView<Row> }) {
  const { columns, expand } = view;
  const rest = [...partOf(columns, 'field').slice(3), ...partOf(columns, undefined)];
  return (
    <Box sx={{ mt: 1, pt: 1, borderTop: '1px solid', borderColor: 'border.subtle' }}>
      <Fields row={row} columns={rest.filter(({ told }) => !told)} />
      {expand && <Box sx={{ mt: 1.5 }}>{expand(row)}</Box>}
    </Box>
  );
}

function RowCard<Row>({ row, view, selecting }: CardProps<Row>) {
  const { columns, rowId, rowActions, expanded, onExpand, tone } = view;
  const id = rowId(row);
  const open = expanded.has(id);
  const actions = rowActions?.(row) ?? [];
  const chevron = <Chevron open={open} onToggle={() => onExpand(id, !open)} />;
  const ground = tone?.(row) ? 'row.disabled' : 'background.paper';
  return (
    <Box
      component="li"
      data-row={id}
      tabIndex={-1}
      data-open={open || undefined}
      sx={{ p: 1.5, borderBottom: '1px solid', borderColor: 'border.subtle', bgcolor: ground }}
    >
      <CardHead row={row} view={view} selecting={selecting}>
        {actions.length === 0 && chevron}
      </CardHead>
      <Fields row={row} columns={partOf(columns, 'field').slice(0, 3)} inView />
      {actions.length > 0 && (
        <Stack direction="row" sx={{ mt: 0.5, alignItems: 'center', justifyContent: 'flex-end' }}>
          <RowActions actions={actions} visible={1} />
          {chevron}
        </Stack>
      )}
      {open && <CardRest row={row} view={view} />}
    </Box>
  );
}

/** The narrow layout: one card per row, which shows the title, the badge, three fields and one action until it is opened. */
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
    <Box component="ul" aria-label={label} data-hint sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {items.map((row) => (
        <RowCard key={view.rowId(row)} row={row} view={view} selecting={selecting} />
      ))}
    </Box>
  );
}
