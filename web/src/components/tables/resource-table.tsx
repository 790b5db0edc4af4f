import DensityIcon from '@mui/icons-material/DensityMediumOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode, RefObject } from 'react';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import type { Density } from '../../app/slices/preferences.js';
import { densityChosen, selectDensity } from '../../app/slices/preferences.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyLine } from '../feedback/busy.js';
import { CheckBox } from '../forms/check-box.js';
import { BulkBar } from './bulk-bar.js';
import { ColumnButton } from './column-button.js';
import { hintCut } from '../basics/cut-hint.js';
import { useDrawnRows } from './drawn-rows.js';
import type { Filter, ListState } from './list-state.js';
import { MenuButton } from '../overlays/menu-button.js';
import { ErrorState } from '../feedback/states.js';
import type { RowView } from './table-body.js';
import type { TableCards as TableCardsOf } from './table-cards.js';
import { RowSpace, TableRows, opensRows } from './table-body.js';
import { CHECK_PX, CHEVRON_PX, columnLayout, useColumns } from './table-columns.js';
import { useTableKeys } from './table-keys.js';
import { TablePaging } from './table-paging.js';
import type { Selected, Selection } from './table-selection.js';
import { useSelection } from './table-selection.js';
import { TableEmpty, TableNoMatch, TableSkeleton } from './table-states.js';
import { ROW_HEIGHT, TableFrame } from './table-style.js';
import type { BulkAction, Column, EmptyState, RowAction, TableQuery } from './table-types.js';
import { useCards } from '../basics/use-media.js';
import { useExpanded } from './use-expanded.js';
import { useFocusKept } from './use-focus-kept.js';
import { useShownPage } from './use-shown-page.js';
import { lazyPart } from '../basics/lazy-part.js';

const TableCards = lazyPart(async () => (await import('./table-cards.js')).TableCards) as typeof TableCardsOf;

export interface ResourceTableProps<Row> {
  id: string;
  /** Accessible name of the table. */
  label: string;
  columns: Column<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  query: TableQuery<Row>;
  list: Omit<ListState<Filter>, 'filter' | 'request' | 'apply' | 'reset'> & { filter: Filter };
  rowActions?: (row: Row) => RowAction[];
  actionsWidth?: number;
  bulk?: BulkAction<Row>[];
  /** Called after every change of the selection, with the function that ends it. */
  onSelection?: (selected: Selected<Row>) => void;
  expand?: (row: Row) => ReactNode;
  /** Opens a row by Enter. */
  onOpen?: (row: Row) => void;
  tone?: (row: Row) => 'disabled' | undefined;
  empty: EmptyState;
  /** The active filters as text, for the message that nothing matches them. */
  filterText?: string;
  density?: Density;
  /** For a table among other content: it is as high as its rows, and the page scrolls instead of the table. */
  asHighAsRows?: boolean;
  /** Width of the window in pixels below which rows are cards, if the columns need more room than usual. */
  cardsBelow?: number;
  /** Left of the column settings, above the table. */
  toolbar?: ReactNode;
  flashed?: number;
}

const densities: Density[] = ['compact', 'standard', 'roomy'];

/** Row height and columns of a table. */
function TableSettings<Row>({ id, columns, density }: Pick<ToolsProps<Row>, 'columns' | 'density'> & { id: string }) {
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
        {expandable && <th className="chevron" scope="col" aria-label={t('action.details')} />}
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

interface ScrollProps<Row> {
  table: ResourceTableProps<Row>;
  items: Row[];
  view: RowView<Row>;
  selection?: Selection<Row>;
  height: number;
}

function ScrolledTable<Row>({ table, items, view, selection, height }: ScrollProps<Row>) {
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

/** Goes to the last page if the address names a page after it. */
function useLastPage(
  list: ResourceTableProps<unknown>['list'],
  count: number | undefined,
  total: number | undefined,
): void {
  const { page, size, setPage } = list;
  useEffect(() => {
    if (count !== 0 || page === 1) return;
    setPage(total === undefined ? page - 1 : Math.max(1, Math.ceil(total / size)), 'replace');
  }, [count, total, page, size, setPage]);
}

const isOfEarlier = (query: TableQuery<unknown>): boolean =>
  query.isFetching && 'currentData' in query && query.currentData === undefined;

function Content<Row>({ selecting, cards, ...shown }: ScrollProps<Row> & { selecting: boolean; cards: boolean }) {
  const { table, items, view, height } = shown;
  const { query, list, empty, filterText = '' } = table;
  if (!query.data) return query.error ? null : <TableSkeleton rows={list.size} height={height} />;
  if (items.length === 0) {
    // The texts name the filter of now, which an earlier reply does not answer.
    if (isOfEarlier(query)) return <TableSkeleton rows={list.size} height={height} />;
    return list.active.length > 0 ? (
      <TableNoMatch filters={filterText} onClear={list.clear} />
    ) : (
      <TableEmpty empty={empty} />
    );
  }
  if (cards) {
    return (
      <Suspense fallback={<TableSkeleton rows={list.size} height={height} />}>
        <TableCards items={items} view={view} label={table.label} selecting={selecting} />
      </Suspense>
    );
  }
  return <ScrolledTable {...shown} />;
}

interface ToolsProps<Row> {
  table: ResourceTableProps<Row>;
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
function Tools<Row>({ table, columns, density, cards, selecting, onSelecting }: ToolsProps<Row>) {
  const { t } = useTranslation();
  const { id, toolbar, bulk } = table;
  if (cards && !toolbar && !bulk) return null;
  return (
    <Box sx={{ ...toolsBox, flexWrap: cards ? 'wrap' : 'nowrap' }}>
      <Box sx={cards ? { display: 'contents' } : pageTools}>{toolbar}</Box>
      {!cards && <TableSettings id={id} columns={columns} density={density} />}
      {cards && bulk && (
        <Button color="inherit" aria-pressed={selecting} onClick={() => onSelecting(!selecting)} sx={{ ml: 'auto' }}>
          {t('action.select')}
        </Button>
      )}
    </Box>
  );
}

function Paging<Row>({ query, list }: ResourceTableProps<Row>) {
  const shown = useShownPage(query, list);
  const { data } = query;
  if (!data || (data.items.length === 0 && list.page === 1)) return null;
  const { page, size, setPage, setSize } = list;
  return (
    <TablePaging
      page={page}
      size={size}
      shown={shown}
      count={data.items.length}
      total={data.total}
      onPage={setPage}
      onSize={setSize}
    />
  );
}

/** The selection mode of cards; what was selected in the table is seen on them, too. */
function useSelecting<Row>({ rows, clear }: Selection<Row>) {
  const [on, setOn] = useState(false);
  const onSelecting = (next: boolean) => {
    setOn(next);
    if (!next) clear();
  };
  return { selecting: on || rows.size > 0, onSelecting };
}

/** Hidden if the first load failed, because the error is shown above. */
function Frame<Row>({ table, children }: { table: ResourceTableProps<Row>; children: ReactNode }) {
  const { query, label, asHighAsRows = false } = table;
  return (
    <TableFrame
      {...useFocusKept()}
      role="group"
      aria-label={label}
      tabIndex={-1}
      data-fill={asHighAsRows ? 'rows' : 'page'}
      aria-busy={query.isFetching}
      hidden={!query.data && query.error != null}
    >
      {children}
    </TableFrame>
  );
}

/** The table of a list page: server-side paging, empty and error states, selection, expansion, keyboard, cards in the narrow layout. */
export function ResourceTable<Row>(table: ResourceTableProps<Row>) {
  const { id, query, list, bulk, rowId, rowName, rowActions, expand, tone, flashed } = table;
  const cards = useCards(table.cardsBelow);
  const columns = useColumns(id, table.columns, cards);
  const density = useAppSelector((state) => selectDensity(state, id, table.density ?? 'standard'));
  const items = query.data?.items ?? [];
  const selection = useSelection({
    items,
    rowId,
    page: list.page,
    size: list.size,
    isFetching: query.isFetching,
    filterKey: JSON.stringify(list.filter),
  });
  const expansion = useExpanded();
  const { onSelection } = table;
  const { rows, clear } = selection;
  const { selecting, onSelecting } = useSelecting(selection);
  useEffect(() => onSelection?.({ rows: [...rows.values()], clear }), [rows, clear, onSelection]);
  useLastPage(list, query.isFetching ? undefined : query.data?.items.length, query.data?.total);
  const { expanded, onExpand } = expansion;
  const { visible, waiting } = columns;
  const chosen = bulk && selection;
  // Memoised rows render again only with their own data, provided the page passes the same functions each time, as the price tables do.
  const view = useMemo<RowView<Row>>(
    () => ({
      rowId,
      rowName,
      rowActions,
      expand,
      tone,
      flashed,
      expanded,
      onExpand,
      columns: visible,
      waiting,
      selection: chosen,
    }),
    [rowId, rowName, rowActions, expand, tone, flashed, expanded, onExpand, visible, waiting, chosen],
  );
  return (
    <>
      <Tools {...{ table, columns, density, cards, selecting, onSelecting }} />
      {query.error != null && (
        <Box sx={{ mb: 1 }}>
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        </Box>
      )}
      <Frame table={table}>
        {query.isFetching && query.data && <BusyLine />}
        {bulk && <BulkBar selection={selection} actions={bulk} cards={cards} />}
        <Content
          table={table}
          items={items}
          view={view}
          selection={chosen}
          height={ROW_HEIGHT[density]}
          cards={cards}
          selecting={selecting}
        />
        <Paging {...table} />
      </Frame>
    </>
  );
}
