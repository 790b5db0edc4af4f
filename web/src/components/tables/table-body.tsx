import ChevronIcon from '@mui/icons-material/ChevronRight';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import type { MouseEvent, ReactNode } from 'react';
import { Fragment, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../forms/check-box.js';
import { Fields } from './row-fields.js';
import { RowActions } from './row-actions.js';
import type { Selection } from './table-selection.js';
import type { Column, RowAction } from './table-types.js';

export interface RowView<Row> {
  columns: Column<Row>[];
  /** Columns that the window has no room for; shown in the details of each row. */
  waiting?: Column<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  rowActions?: (row: Row) => RowAction[];
  expand?: (row: Row) => ReactNode;
  expanded: ReadonlySet<number>;
  onExpand: (id: number, on: boolean) => void;
  selection?: Pick<Selection<Row>, 'has' | 'toggle'>;
  tone?: (row: Row) => 'disabled' | undefined;
  flashed?: number;
}

const INERT = 'a, button, input, select, textarea, label, [role="button"]';

/** A click on a part of the row without a control opens the row, unless the user is selecting text. */
const isInert = (event: MouseEvent): boolean =>
  !(event.target as HTMLElement).closest(INERT) && !window.getSelection()?.toString();

interface TableRowProps<Row> {
  row: Row;
  index: number;
  view: RowView<Row>;
  current: boolean;
}

function Cells<Row>({ row, view }: { row: Row; view: RowView<Row> }) {
  return view.columns.map(({ id, cell, text, align }, index) => {
    const className = [index === 0 ? 'first' : '', align === 'right' ? 'right' : ''].join(' ').trim() || undefined;
    const Cell = index === 0 ? 'th' : 'td';
    return (
      <Cell key={id} scope={index === 0 ? 'row' : undefined} className={className} title={text?.(row)}>
        {cell(row)}
      </Cell>
    );
  });
}

function CheckCell<Row>({ row, view }: { row: Row; view: RowView<Row> }) {
  const { t } = useTranslation();
  const { selection, rowId, rowName } = view;
  if (!selection) return null;
  const id = rowId(row);
  return (
    <td className="check">
      <CheckBox
        checked={selection.has(id)}
        onToggle={(range) => selection.toggle(id, range)}
        label={t('table.selectRow', { name: rowName(row) })}
      />
    </td>
  );
}

const detailId = (id: number): string => `row-${id}-detail`;

function ChevronCell({
  id,
  open,
  onExpand,
}: {
  id: number;
  open: boolean;
  onExpand: (id: number, on: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <td className="chevron">
      <IconButton
        size="small"
        aria-expanded={open}
        aria-controls={open ? detailId(id) : undefined}
        aria-label={t(open ? 'action.collapse' : 'action.expand')}
        onClick={() => onExpand(id, !open)}
      >
        <ChevronIcon sx={{ fontSize: 18, transform: open ? 'rotate(90deg)' : 'none' }} />
      </IconButton>
    </td>
  );
}

/** Whether rows have details that can be opened. */
export const opensRows = <Row,>({ expand, waiting }: Pick<RowView<Row>, 'expand' | 'waiting'>): boolean =>
  expand !== undefined || (waiting?.length ?? 0) > 0;

const spanOf = <Row,>(view: RowView<Row>): number =>
  view.columns.length + [view.selection, opensRows(view), view.rowActions].filter(Boolean).length;

function Detail<Row>({ row, view: { waiting = [], expand } }: { row: Row; view: RowView<Row> }) {
  return (
    <>
      {waiting.length > 0 && (
        <Box sx={{ mb: expand ? 1.5 : 0 }}>
          <Fields row={row} columns={waiting} />
        </Box>
      )}
      {expand?.(row)}
    </>
  );
}

function TableRow<Row>({ row, index, view, current }: TableRowProps<Row>) {
  const { rowId, rowActions, expanded, onExpand, selection, tone, flashed } = view;
  const id = rowId(row);
  const opens = opensRows(view);
  const open = opens && expanded.has(id);
  return (
    <>
      <tr
        data-row={index}
        data-id={id}
        data-tone={tone?.(row)}
        className={flashed === id ? 'flash' : undefined}
        tabIndex={current ? 0 : -1}
        aria-selected={selection?.has(id)}
        onClick={(event) => opens && isInert(event) && onExpand(id, !open)}
      >
        <CheckCell row={row} view={view} />
        {opens && <ChevronCell id={id} open={open} onExpand={onExpand} />}
        <Cells row={row} view={view} />
        {rowActions && (
          <td className="actions">
            <RowActions actions={rowActions(row)} />
          </td>
        )}
      </tr>
      {open && (
        <tr>
          <td className="detail" id={detailId(id)} colSpan={spanOf(view)}>
            <Detail row={row} view={view} />
          </td>
        </tr>
      )}
    </>
  );
}

/** `memo` loses the generic parameter. */
const MemoRow = memo(TableRow) as typeof TableRow;

export function TableRows<Row>({ items, view, current }: { items: Row[]; view: RowView<Row>; current: number }) {
  return items.map((row, index) => (
    <Fragment key={view.rowId(row)}>
      <MemoRow row={row} index={index} view={view} current={index === current} />
    </Fragment>
  ));
}

/** Space for rows that are not rendered yet, so that nothing moves when they are. */
export const RowSpace = ({ height }: { height: number }) => (
  <tr aria-hidden style={{ height }}>
    <td style={{ padding: 0, border: 0 }} />
  </tr>
);
