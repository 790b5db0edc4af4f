import EditIcon from '@mui/icons-material/EditOutlined';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import type { KeyboardEvent, ReactNode } from 'react';
import { memo, useCallback, useDeferredValue, useId, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selected } from '../../../components/tables/table-selection.js';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { ResourceTable } from '../../../components/tables/resource-table.js';
import type { BulkAction, Column, EmptyState, RowAction } from '../../../components/tables/table-types.js';
import type { RatioField, RatioRow } from './ratio-rows.js';
import { isUnpriced, pricesOfRatios, rowProblems } from './ratio-rows.js';
import { useKeywordList } from './use-keyword-list.js';
import type { RatioStage } from './use-ratio-edits.js';

interface CellProps extends Pick<RatioStage, 'stage' | 'leave'> {
  row: RatioRow;
  field: RatioField;
  changed: boolean;
}

/** A plain `input`: the library's field takes ten times as long to render, and a page may hold three hundred. */
const NumberInput = styled('input')({
  width: '100%',
  height: 28,
  padding: '0 8px',
  textOverflow: 'ellipsis',
  font: 'inherit',
  fontSize: '0.8125rem',
  color: 'inherit',
  background: 'none',
  border: '1px solid var(--tg-palette-border-control)',
  borderRadius: 6,
  '&::placeholder': { color: 'var(--tg-palette-text-tertiary)', opacity: 1 },
  '&:hover': { borderColor: 'var(--tg-palette-text-primary)' },
  '&:focus': { outline: '2px solid var(--tg-palette-focus)', outlineOffset: -1 },
  '&[data-changed]': { background: 'var(--tg-palette-primary-soft)' },
  '&[aria-disabled]': { opacity: 0.6 },
  '&[aria-invalid="true"]': { borderColor: 'var(--tg-palette-error-main)' },
});

const ProblemText = styled('div')({
  fontSize: '0.75rem',
  lineHeight: '1rem',
  paddingBottom: 4,
  whiteSpace: 'normal',
  color: 'var(--tg-palette-error-main)',
});

/** Typing changes this field only: what is typed may be a slip. Enter or leaving the cell ends the edit, Escape undoes it. */
function useCellEdit({ row, field, stage, leave }: Omit<CellProps, 'changed'>) {
  /** The text before the edit; `undefined` without one. */
  const before = useRef<string>(undefined);
  const type = (text: string) => {
    before.current ??= row[field];
    stage([{ ...row, [field]: text }]);
  };
  const end = () => {
    if (before.current === undefined) return;
    if (!rowProblems(row)[field]) before.current = undefined;
    leave(row, field);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') end();
    if (event.key !== 'Escape' || before.current === undefined) return;
    stage([{ ...row, [field]: before.current }]);
    before.current = undefined;
    event.stopPropagation();
  };
  return { type, end, onKeyDown };
}

/** Memoized: rendered again only when its own row changes. */
const NumberCell = memo(function NumberCell({ changed, ...edited }: CellProps) {
  const { row, field } = edited;
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const id = useId();
  const { type, end, onKeyDown } = useCellEdit(edited);
  const problem = rowProblems(row)[field];
  const excluded = field !== 'price' && row.price.trim() !== '';
  const label = `${row.name} ${t(`ratio.column.${field}`)}`;
  const reason = excluded ? t('ratio.excluded') : undefined;
  // Tooltips reach neither touch screens nor screen readers, so a click shows the reason as a toast.
  const tell = () => reason && dispatch(toastShown({ severity: 'info', key: 'toast.reason', params: { reason } }));
  return (
    <>
      <NumberInput
        value={row[field]}
        readOnly={excluded}
        title={reason}
        onClick={excluded ? tell : undefined}
        placeholder={field === 'price' ? t(changed && isUnpriced(row) ? 'ratio.noPrice' : 'ratio.byTokens') : undefined}
        onChange={(event) => type(event.target.value)}
        onBlur={end}
        onKeyDown={onKeyDown}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-disabled={excluded || undefined}
        aria-description={reason}
        aria-describedby={problem && id}
        inputMode="decimal"
        // On a card the field is as wide as usual numbers, so that three fit side by side.
        size={8}
        data-changed={changed || undefined}
      />
      {problem && <ProblemText id={id}>{t(problem)}</ProblemText>}
    </>
  );
});

/**
 * Below this width in pixels rows are shown as cards, because the table beside the sidebar would truncate model names.
 */
export const RATIO_CARDS_BELOW = 900;
/** The width from which the column of resulting input prices fits. */
const ALL_FROM = 980;

/**
 * `isStaged` is read when a row is rendered. That is often enough: a row that is staged or reverted is a new object, so
 * it is rendered again.
 */
export function ratioColumns(
  isStaged: (name: string) => boolean,
  edit: Pick<RatioStage, 'stage' | 'leave'>,
): Column<RatioRow>[] {
  // Number columns are as wide as their headers; the name gets the rest.
  const field = (id: RatioField, least: number): Column<RatioRow> => ({
    id,
    header: `setting:ratio.column.${id}`,
    width: least + 12,
    least,
    mobile: 'field',
    cell: (row) => <NumberCell row={row} field={id} changed={isStaged(row.name)} {...edit} />,
  });
  return [
    {
      id: 'name',
      header: 'setting:ratio.column.name',
      width: 'grow',
      mobile: 'title',
      text: ({ name }) => name,
      cell: ({ name }) => (
        <Box component="span" sx={{ typography: 'mono' }}>
          {name}
        </Box>
      ),
    },
    field('price', 96),
    field('ratio', 104),
    field('completion', 122),
    {
      id: 'input',
      header: 'setting:ratio.column.input',
      width: 128,
      least: 116,
      roomy: ALL_FROM,
      align: 'right',
      cell: (row) => {
        const { input } = row.price === '' ? pricesOfRatios(row) : { input: '' };
        return input && `$${input}`;
      },
    },
  ];
}

/** Numeric row ids by name; stable as long as the table is mounted. */
function useIds() {
  const ids = useRef(new Map<string, number>());
  return useCallback(({ name }: RatioRow): number => {
    const known = ids.current.get(name);
    if (known !== undefined) return known;
    ids.current.set(name, ids.current.size + 1);
    return ids.current.size;
  }, []);
}

const icon = { fontSize: 18 };
const nameOf = ({ name }: RatioRow): string => name;

/** A stable function, so that a keystroke does not render the buttons of unchanged rows again. */
function useRowActions({ onEdit, onDelete }: Pick<RatioTableProps, 'onEdit' | 'onDelete'>) {
  const { t } = useTranslation('setting');
  const now = useRef({ onEdit, onDelete });
  now.current = { onEdit, onDelete };
  return useCallback(
    (row: RatioRow): RowAction[] => [
      { id: 'edit', label: t('action.edit'), icon: <EditIcon sx={icon} />, run: () => now.current.onEdit?.(row) },
      {
        id: 'delete',
        label: t('action.delete'),
        icon: <DeleteIcon sx={icon} />,
        run: () => now.current.onDelete?.(row),
      },
    ],
    [t],
  );
}

interface RatioTableProps {
  id: string;
  label: string;
  /** All rows with the staged changes applied. */
  rows: RatioRow[];
  editing: RatioStage;
  keyword: string;
  onClear: () => void;
  empty: EmptyState;
  onEdit?: (row: RatioRow) => void;
  onDelete?: (row: RatioRow) => void;
  bulk?: BulkAction<RatioRow>[];
  onSelection?: (selected: Selected<RatioRow>) => void;
  toolbar?: ReactNode;
}

/** A table with editable prices; changed cells are marked until the changes are applied. */
export function RatioTable({ rows, editing, keyword, onClear, onEdit, onDelete, ...table }: RatioTableProps) {
  const { stage, leave, edits } = editing;
  const list = useKeywordList(keyword, onClear);
  const rowId = useIds();
  const staged = useRef(edits);
  staged.current = edits;
  const columns = useMemo(() => ratioColumns((name) => staged.current.has(name), { stage, leave }), [stage, leave]);
  const rowActions = useRowActions({ onEdit, onDelete });
  // Deferred: rendering a hundred rows takes a while, and typing or paging again must not wait for it.
  const [page, size] = [useDeferredValue(list.page), useDeferredValue(list.size)];
  const first = (page - 1) * size;
  const items = useMemo(() => rows.slice(first, first + size), [rows, first, size]);
  const query = {
    data: { items, total: rows.length },
    isFetching: page !== list.page || size !== list.size,
    refetch: () => undefined,
  };
  return (
    <ResourceTable
      {...table}
      columns={columns}
      rowId={rowId}
      rowName={nameOf}
      query={query}
      list={list}
      rowActions={onEdit && onDelete ? rowActions : undefined}
      actionsWidth={88}
      density="standard"
      cardsBelow={RATIO_CARDS_BELOW}
      filterTexts={[keyword]}
    />
  );
}
