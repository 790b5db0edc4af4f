import { useMemo, useState } from 'react';
import { selectRole } from '../app/slices/session.js';
import { readStoredJson, writeStored } from '../app/stored.js';
import { useAppSelector } from '../app/store.js';
import type { Column } from './table-types.js';
import { useMobile } from './use-media.js';

/** Two keys are documented; the others follow the same pattern. */
const storageKey = (table: string): string =>
  `${table === 'log' ? 'logs' : table === 'channel' ? 'channels' : table}-table-columns`;

export type Shown = Record<string, boolean>;
const isShown = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part === 'boolean');

/** New columns appear by default; columns above the reader's rank do not exist. */
export function useColumns<Row>(table: string, columns: Column<Row>[]) {
  const role = useAppSelector(selectRole);
  const [shown, setShown] = useState<Shown>(() => readStoredJson(storageKey(table), isShown) ?? {});
  const layout = useMobile() ? 'narrow' : 'wide';
  const allowed = useMemo(
    () => columns.filter(({ minRole = 0, only = layout }) => role >= minRole && only === layout),
    [columns, role, layout],
  );
  const visible = useMemo(
    () => allowed.filter(({ id, defaultHidden }) => shown[id] ?? !defaultHidden),
    [allowed, shown],
  );
  const save = (next: Shown): void => {
    setShown(next);
    writeStored(storageKey(table), JSON.stringify(next));
  };
  return { allowed, visible: visible.length > 0 ? visible : allowed, shown, save };
}

/** What the table needs before it scrolls sideways. */
export const minimumWidth = <Row>(columns: Column<Row>[], extra: number): number =>
  columns.reduce((total, { width, least = 160 }) => total + (width === 'grow' ? least : width), extra);
