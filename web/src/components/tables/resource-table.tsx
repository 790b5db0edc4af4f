import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { Density } from '../../app/slices/preferences.js';
import { selectDensity } from '../../app/slices/preferences.js';
import { useAppSelector } from '../../app/store.js';
import { BusyLine } from '../feedback/busy.js';
import { BulkBar } from './bulk-bar.js';
import type { Filter, ListState } from './list-state.js';
import { ErrorState } from '../feedback/states.js';
import type { RowsProps, ScrollProps } from './scrolled-table.js';
import { ScrolledTable } from './scrolled-table.js';
import type { RowView } from './table-body.js';
import type { TableCards as TableCardsOf } from './table-cards.js';
import { useColumns } from './table-columns.js';
import { TablePaging } from './table-paging.js';
import type { Selected, Selection } from './table-selection.js';
import { useSelection } from './table-selection.js';
import { TableEmpty, TableNoMatch, TableSkeleton } from './table-states.js';
import { ROW_HEIGHT, TableFrame } from './table-style.js';
import { TableTools } from './table-tools.js';
import type { BulkAction, Column, EmptyState, TableQuery } from './table-types.js';
import { useCards } from '../basics/use-media.js';
import { useExpanded } from './use-expanded.js';
import { useFocusKept } from './use-focus-kept.js';
import { useShownPage } from './use-shown-page.js';
import { lazyPart } from '../basics/lazy-part.js';

const TableCards = lazyPart(async () => (await import('./table-cards.js')).TableCards) as typeof TableCardsOf;

export interface ResourceTableProps<Row> extends RowsProps<Row> {
  id: string;
  columns: Column<Row>[];
  rowName: (row: Row) => string;
  query: TableQuery<Row>;
  list: Omit<ListState<Filter>, 'filter' | 'request' | 'apply' | 'reset'> & { filter: Filter };
  bulk?: BulkAction<Row>[];
  /** Called after every change of the selection, with the function that ends it. */
  onSelection?: (selected: Selected<Row>) => void;
  expand?: (row: Row) => ReactNode;
  tone?: (row: Row) => 'disabled' | undefined;
  empty: EmptyState;
  /** The active filters as texts, for the message that nothing matches them, and what that message adds. */
  filterTexts?: readonly string[];
  noMatchHint?: string;
  density?: Density;
  /** For a table among other content: it is as high as its rows, and the page scrolls instead of the table. */
  asHighAsRows?: boolean;
  /** Width of the window in pixels below which rows are cards, if the columns need more room than usual. */
  cardsBelow?: number;
  /** Left of the column settings, above the table. */
  toolbar?: ReactNode;
  flashed?: number;
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

interface ContentProps<Row> extends ScrollProps<Row> {
  table: ResourceTableProps<Row>;
  selecting: boolean;
  cards: boolean;
}

function Content<Row>({ selecting, cards, ...shown }: ContentProps<Row>) {
  const { table, items, view, height } = shown;
  const { query, list, empty, filterTexts = [], noMatchHint } = table;
  if (!query.data) return query.error ? null : <TableSkeleton rows={list.size} height={height} />;
  if (items.length === 0) {
    // The texts name the filter of now, which an earlier reply does not answer.
    if (isOfEarlier(query)) return <TableSkeleton rows={list.size} height={height} />;
    return list.active.length > 0 ? (
      <TableNoMatch filters={filterTexts} hint={noMatchHint} onClear={list.clear} />
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
      inexact={data.inexact}
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

/** Memoised rows render again only with their own data, provided the page passes the same functions each time, as the price tables do. */
function useRowView<Row>(
  { rowId, rowName, rowActions, expand, tone, flashed }: ResourceTableProps<Row>,
  { visible, waiting }: Pick<ReturnType<typeof useColumns<Row>>, 'visible' | 'waiting'>,
  selection: Selection<Row> | undefined,
): RowView<Row> {
  const { expanded, onExpand } = useExpanded();
  return useMemo(
    () => ({
      ...{ rowId, rowName, rowActions, expand, tone, flashed, expanded, onExpand },
      ...{ columns: visible, waiting, selection },
    }),
    [rowId, rowName, rowActions, expand, tone, flashed, expanded, onExpand, visible, waiting, selection],
  );
}

/** The table of a list page: server-side paging, empty and error states, selection, expansion, keyboard, cards in the narrow layout. */
export function ResourceTable<Row>(table: ResourceTableProps<Row>) {
  const { id, query, list, bulk, rowId } = table;
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
  const { onSelection } = table;
  const { rows, clear } = selection;
  const { selecting, onSelecting } = useSelecting(selection);
  useEffect(() => onSelection?.({ rows: [...rows.values()], clear }), [rows, clear, onSelection]);
  useLastPage(list, query.isFetching ? undefined : query.data?.items.length, query.data?.total);
  const chosen = bulk && selection;
  const view = useRowView(table, columns, chosen);
  return (
    <>
      <TableTools
        id={id}
        toolbar={table.toolbar}
        selectable={bulk !== undefined}
        {...{ columns, density, cards, selecting, onSelecting }}
      />
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
