import { useMemo, useState } from 'react';
import { selectRole } from '../../app/slices/session.js';
import { readStoredJson, writeStored } from '../../app/stored.js';
import { useAppSelector } from '../../app/store.js';
import type { Column } from './table-types.js';
import { useTooWide } from '../basics/use-media.js';

/** Two keys are documented; the others follow the same pattern. */
const storageKey = (table: string): string =>
  `${table === 'log' ? 'logs' : table === 'channel' ? 'channels' : table}-table-columns`;

export type Shown = Record<string, boolean>;
const isShown = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part === 'boolean');

/** The smaller of the usual windows of a desk. */
const SMALL_DESK = 1280;
/** The window, in pixels, from which on a column is shown by default. */
const roomOf = <Row>({ roomy = false }: Column<Row>): number => (roomy === true ? SMALL_DESK : Number(roomy));
const roomsOf = <Row>(columns: Column<Row>[]): number[] => [...new Set(columns.map(roomOf))].filter((room) => room > 0);

/** New columns appear by default; columns above the reader's rank do not exist. `cards`: the rows are drawn as such. `waiting`: what only the window has no room for. */
export function useColumns<Row>(table: string, columns: Column<Row>[], cards: boolean) {
  const role = useAppSelector(selectRole);
  const [shown, setShown] = useState<Shown>(() => readStoredJson(storageKey(table), isShown) ?? {});
  const layout = cards ? 'narrow' : 'wide';
  const tooWide = useTooWide(useMemo(() => roomsOf(columns), [columns]));
  const allowed = useMemo(
    () =>
      columns
        .filter(({ minRole = 0, only = layout }) => role >= minRole && only === layout)
        .map((column) =>
          layout === 'wide' && tooWide.has(roomOf(column)) ? { ...column, defaultHidden: true } : column,
        ),
    [columns, role, layout, tooWide],
  );
  const visible = useMemo(
    () => allowed.filter(({ id, defaultHidden }) => shown[id] ?? !defaultHidden),
    [allowed, shown],
  );
  const waiting = useMemo(() => {
    const byDefault = new Set(columns.filter(({ defaultHidden }) => !defaultHidden).map(({ id }) => id));
    return allowed.filter(
      ({ id, defaultHidden, told }) => defaultHidden && byDefault.has(id) && shown[id] === undefined && !told,
    );
  }, [allowed, columns, shown]);
  const save = (next: Shown): void => {
    // What only this window has no room for is no choice of the reader.
    const left = allowed.filter(({ id, roomy, defaultHidden }) => roomy && next[id] === !defaultHidden);
    const kept = Object.fromEntries(Object.entries(next).filter(([id]) => !left.some((column) => column.id === id)));
    setShown(kept);
    writeStored(storageKey(table), JSON.stringify(kept));
  };
  return { allowed, visible: visible.length > 0 ? visible : allowed, waiting, shown, save };
}

const GROWING_LEAST = 160;

const leastOf = <Row>({ width, least }: Column<Row>): number => least ?? (width === 'grow' ? GROWING_LEAST : width);

/** What the table needs before it scrolls sideways; `extra`: beside its columns. */
const minimumWidth = <Row>(columns: Column<Row>[], extra: number): number =>
  columns.reduce((total, column) => total + leastOf(column), extra);

/** Beside the text of a cell: where there is room, and where all columns are as narrow as they may be. */
const PADDING = { wide: 12, least: 8 };

/** The widths of the columns and the padding of the cells in CSS: as asked for, and less by one share where the table has less room. */
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

/** What stands beside the columns, in pixels. */
export const CHECK_PX = 44;
export const CHEVRON_PX = 40;
/** A card around the table: its padding and border. */
export const CARD_PX = 34;
/** The frame of a page with its sidebar open and the border of a table; below the width of a desk it is less. */
const FRAME_PX = { desk: 250, tablet: 234 };
const DESK = 960;

/** The narrowest window from which on a page has so much room: where a desk begins it is less than just before. */
const windowFor = (room: number): number => room + (room + FRAME_PX.desk <= DESK ? FRAME_PX.tablet : FRAME_PX.desk);

/**
 * Each column that is named in `order` is shown from the window on that has room for it beside those before it; until then it
 * waits in the details of the row. `beside`: what the table has beside its columns. `opens`: its rows have details of their own.
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
    // With the last one nothing waits any more, and nothing has to be opened.
    const spared = index === folding.length - 1 && !opens ? CHEVRON_PX : 0;
    rooms.set(column.id, windowFor(needed - spared));
  }
  return columns.map((column) => (rooms.has(column.id) ? { ...column, roomy: rooms.get(column.id) } : column));
}

const isInTable = <Row>({ only = 'wide', defaultHidden = false }: Column<Row>): boolean =>
  only === 'wide' && !defaultHidden;
