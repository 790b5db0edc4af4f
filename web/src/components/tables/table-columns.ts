import { useMemo, useState } from 'react';
import { selectRole } from '../../app/slices/session.js';
import { readStoredJson, writeStored } from '../../app/stored.js';
import { useAppSelector } from '../../app/store.js';
import type { Column } from './table-types.js';
import { useTooWide } from '../basics/use-media.js';

/** The keys of logs and channels are documented; other tables follow the same pattern. */
const storageKey = (table: string): string =>
  `${table === 'log' ? 'logs' : table === 'channel' ? 'channels' : table}-table-columns`;

export type Shown = Record<string, boolean>;
const isShown = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part === 'boolean');

/** Width in pixels of the smaller of the usual desktop windows. */
const SMALL_DESK = 1280;
/** The width of the window in pixels from which a column is shown by default. */
export const roomOf = ({ roomy = false }: Pick<Column<never>, 'roomy'>): number =>
  roomy === true ? SMALL_DESK : Number(roomy);
const roomsOf = <Row>(columns: Column<Row>[]): number[] => [...new Set(columns.map(roomOf))].filter((room) => room > 0);

/**
 * The columns of a table that the reader chose to show in a window too narrow for them. They are stored apart, because the settings of a
 * wide window store every column that is shown there.
 */
const narrowKey = (table: string): string => `${storageKey(table)}-narrow`;

/** Width in pixels of the columns that are shown only because the reader has added them. */
const addedWidth = <Row>(columns: Column<Row>[], shown: Shown): number =>
  columns.reduce((sum, column) => sum + (column.defaultHidden && shown[column.id] ? leastOf(column) : 0), 0);

/** The columns that this role has in this layout, and those of them for which the window is too narrow. */
function useAllowed<Row>(columns: Column<Row>[], shown: Shown, cards: boolean) {
  const role = useAppSelector(selectRole);
  const layout = cards ? 'narrow' : 'wide';
  const allowed = useMemo(
    () => columns.filter(({ minRole = 0, only = layout }) => role >= minRole && only === layout),
    [columns, role, layout],
  );
  const added = addedWidth(allowed, shown);
  const tooWide = useTooWide(useMemo(() => roomsOf(allowed).map((room) => room + added), [allowed, added]));
  const squeezed = useMemo(() => {
    const found = cards ? [] : allowed.filter((column) => roomOf(column) > 0 && tooWide.has(roomOf(column) + added));
    return new Set(found.map(({ id }) => id));
  }, [allowed, added, cards, tooWide]);
  return { allowed, squeezed };
}

/**
 * Columns of a table as chosen by the reader; new ones are shown by default, those above the reader's role do not exist. `cards`: rows are
 * drawn as cards. `waiting`: columns that are hidden only because the window is too narrow.
 */
export function useColumns<Row>(table: string, columns: Column<Row>[], cards: boolean) {
  const [shown, setShown] = useState<Shown>(() => readStoredJson(storageKey(table), isShown) ?? {});
  const [inNarrow, setInNarrow] = useState<Shown>(() => readStoredJson(narrowKey(table), isShown) ?? {});
  const { allowed: all, squeezed } = useAllowed(columns, shown, cards);
  const allowed = useMemo(
    () => all.map((column) => (squeezed.has(column.id) ? { ...column, defaultHidden: true } : column)),
    [all, squeezed],
  );
  /** What the reader chose for this window. */
  const chosen = useMemo<Shown>(() => {
    const overridden = [...squeezed].filter((id) => shown[id] !== false).map((id) => [id, inNarrow[id] ?? false]);
    return { ...shown, ...Object.fromEntries(overridden) };
  }, [shown, inNarrow, squeezed]);
  const visible = useMemo(
    () => allowed.filter(({ id, defaultHidden }) => chosen[id] ?? !defaultHidden),
    [allowed, chosen],
  );
  const waiting = useMemo(() => {
    const byDefault = new Set(columns.filter(({ defaultHidden }) => !defaultHidden).map(({ id }) => id));
    return allowed.filter(
      ({ id, told }) => squeezed.has(id) && byDefault.has(id) && shown[id] !== false && !chosen[id] && !told,
    );
  }, [allowed, squeezed, columns, shown, chosen]);
  const save = (next: Shown): void => {
    const [wide, narrow] = [{ ...shown }, { ...inNarrow }];
    for (const [id, isOn] of Object.entries(next)) {
      if (!squeezed.has(id)) wide[id] = isOn;
      // A column that is hidden only because this window is too narrow is not stored as a choice of the reader.
      else if (isOn && !wide[id]) delete wide[id];
      if (!isOn) delete narrow[id];
      else if (squeezed.has(id)) narrow[id] = true;
    }
    setShown(wide);
    setInNarrow(narrow);
    writeStored(storageKey(table), JSON.stringify(wide));
    writeStored(narrowKey(table), JSON.stringify(narrow));
  };
  return { allowed, visible: visible.length > 0 ? visible : allowed, waiting, shown: chosen, save };
}

const GROWING_LEAST = 160;

const leastOf = <Row>({ width, least }: Column<Row>): number => least ?? (width === 'grow' ? GROWING_LEAST : width);

/** The table scrolls sideways below this width, in pixels; `extra`: width of everything beside the columns. */
const minimumWidth = <Row>(columns: Column<Row>[], extra: number): number =>
  columns.reduce((total, column) => total + leastOf(column), extra);

/** Padding beside the text of a cell, in pixels: where there is room, and where all columns have their least width. */
const PADDING = { wide: 12, least: 8 };

/**
 * CSS widths of the columns and padding of the cells. They have their full size where there is room; in a narrower table all shrink by the
 * same share.
 */
export function columnLayout<Row>(columns: Column<Row>[], extra: number) {
  const minimum = minimumWidth(columns, extra);
  const givenUp = (column: Column<Row>): number => (column.width === 'grow' ? 0 : column.width - leastOf(column));
  const total = columns.reduce((sum, column) => sum + givenUp(column), 0);
  const between = (least: number, most: number): string =>
    least < most
      ? `clamp(${least}px, ${least}px + (100cqi - ${minimum}px) * ${most - least} / ${total}, ${most}px)`
      : `${most}px`;
  return {
    minimum,
    widths: columns.map((column) => (column.width === 'grow' ? undefined : between(leastOf(column), column.width))),
    padding: total > 0 ? between(PADDING.least, PADDING.wide) : `${PADDING.wide}px`,
  };
}

/** Widths of the parts beside the columns, in pixels. */
export const CHECK_PX = 44;
export const CHEVRON_PX = 40;
/** A card around the table: its padding and border, in pixels. */
export const CARD_PX = 34;
/**
 * Width in pixels of everything beside the table: the open sidebar, the page's padding, the table's border. Windows below `DESK` have less
 * padding.
 */
const FRAME_PX = { desk: 250, tablet: 234 };
const DESK = 960;

/**
 * The narrowest window that leaves `room` pixels for a table. The padding grows at `DESK`, so a slightly wider window may leave less room.
 */
const windowFor = (room: number): number => room + (room + FRAME_PX.desk <= DESK ? FRAME_PX.tablet : FRAME_PX.desk);

/**
 * Shows the columns named in `order` one by one as the window gets wide enough for them; until then they are in the details of the row.
 * `beside`: width in pixels of everything beside the columns. `opens`: the rows have details in any case.
 */
export function foldColumns<Row>(
  columns: Column<Row>[],
  order: readonly string[],
  { beside = 0, opens = false }: { beside?: number; opens?: boolean } = {},
): Column<Row>[] {
  const folding = order.flatMap((id) => columns.find((column) => column.id === id && !column.defaultHidden) ?? []);
  let needed = minimumWidth(
    columns.filter((column) => isInTable(column) && !folding.includes(column)),
    beside + CHEVRON_PX,
  );
  const rooms = new Map<string, number>();
  for (const [index, column] of folding.entries()) {
    needed += leastOf(column);
    // With the last column nothing is left for the details, so the chevron is not needed any more.
    const spared = index === folding.length - 1 && !opens ? CHEVRON_PX : 0;
    rooms.set(column.id, windowFor(needed - spared));
  }
  return columns.map((column) => (rooms.has(column.id) ? { ...column, roomy: rooms.get(column.id) } : column));
}

const isInTable = <Row>({ only = 'wide', defaultHidden = false }: Column<Row>): boolean =>
  only === 'wide' && !defaultHidden;
