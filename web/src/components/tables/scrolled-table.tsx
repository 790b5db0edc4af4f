import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import { hintCut } from '../basics/cut-hint.js';
import { visuallyHidden } from '../basics/visually-hidden.js';
import { CheckBox } from '../forms/check-box.js';
import { useDrawnRows } from './drawn-rows.js';
import type { RowView } from './table-body.js';
import { RowSpace, TableRows, opensRows } from './table-body.js';
import { CHECK_PX, CHEVRON_PX, columnLayout } from './table-columns.js';
import { useTableKeys } from './table-keys.js';
import type { Selection } from './table-selection.js';
import type { Column, RowAction } from './table-types.js';

interface HeadProps<Row> {
  columns: Column<Row>[];
  widths: (string | undefined)[];
  selection?: Selection<Row>;
  expandable: boolean;
  actionsWidth?: number;
}

function Head<Row>({ columns, widths, selection, expandable, actionsWidth }: HeadProps<Row>) {
  const { t } = useTranslation();
  const say = useSay();
  return (
    <thead>
      <tr>
        {selection && (
          <th className="check" scope="col">
            <CheckBox
              checked={selection.page === 'all'}
              indeterminate={selection.page === 'some'}
              onToggle={selection.togglePage}
              label={t('table.selectPage')}
            />
          </th>
        )}
        {expandable && (
          <th className="chevron" scope="col">
            <span style={visuallyHidden}>{t('action.details')}</span>
          </th>
        )}
        {columns.map(({ id, header, align }, index) => (
          <th
            key={id}
            scope="col"
            className={[index === 0 ? 'first' : '', align ?? ''].join(' ').trim() || undefined}
            style={{ width: widths[index] }}
            title={say(header)}
          >
            {say(header)}
          </th>
        ))}
        {actionsWidth !== undefined && (
          <th className="actions" scope="col" style={{ width: actionsWidth }}>
            {t('table.actions')}
          </th>
        )}
      </tr>
    </thead>
  );
}

/**
 * Marks the frame when its content is wider, so that sticky columns show their border. A `ResizeObserver` runs after layout; measuring
 * during render would force a layout.
 */
function useSidewaysMark(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      element.classList.toggle('scrolled', element.scrollWidth > element.clientWidth + 1),
    );
    for (const part of [element, ...element.children]) observer.observe(part);
    return () => observer.disconnect();
  }, [frame]);
}

/** What a page says of the rows of its table. */
export interface RowsProps<Row> {
  /** Accessible name of the table. */
  label: string;
  rowId: (row: Row) => number;
  rowActions?: (row: Row) => RowAction[];
  actionsWidth?: number;
  /** Opens a row by Enter. */
  onOpen?: (row: Row) => void;
}

export interface ScrollProps<Row> {
  table: RowsProps<Row>;
  items: Row[];
  view: RowView<Row>;
  selection?: Selection<Row>;
  height: number;
}

/** The wide layout: the head and the rows, with the keyboard, in a frame that scrolls. */
export function ScrolledTable<Row>({ table, items, view, selection, height }: ScrollProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const { label, rowId, rowActions, actionsWidth = 132, onOpen } = table;
  const { columns, onExpand } = view;
  const opens = opensRows(view);
  const at = (index: number, act: (row: Row) => void) => {
    const row = items[index];
    if (row !== undefined) act(row);
  };
  const keys = useTableKeys(body, items.length, {
    open: (index) =>
      at(index, (row) => (onOpen ? onOpen(row) : opens && onExpand(rowId(row), !view.expanded.has(rowId(row))))),
    select: (index, range) => at(index, (row) => selection?.toggle(rowId(row), range)),
    expand: (index, on) => at(index, (row) => opens && onExpand(rowId(row), on)),
  });
  useSidewaysMark(scroll);
  const drawn = useDrawnRows(items.map(rowId));
  const extra = (selection ? CHECK_PX : 0) + (opens ? CHEVRON_PX : 0) + (rowActions ? actionsWidth : 0);
  const { minimum, widths, padding } = columnLayout(columns, extra);
  return (
    <div className="scroll" ref={scroll} tabIndex={-1}>
      <table
        aria-label={label}
        data-hint
        onMouseOver={hintCut}
        onFocus={hintCut}
        style={{ minWidth: minimum, ['--row-height' as string]: `${height}px`, ['--cell-padding' as string]: padding }}
      >
        <Head
          columns={columns}
          widths={widths}
          selection={selection}
          expandable={opens}
          actionsWidth={rowActions && actionsWidth}
        />
        <tbody ref={body} onKeyDown={keys.onKeyDown} onFocus={keys.onFocus}>
          <TableRows items={items.slice(0, drawn)} view={view} current={keys.current} />
          {drawn < items.length && <RowSpace height={(items.length - drawn) * height} />}
        </tbody>
      </table>
    </div>
  );
}
