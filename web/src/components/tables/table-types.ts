import type { ReactNode } from 'react';
import type { TextKey } from '../../app/i18n/text-keys.js';
import type { Rows } from '../../api/paged.js';

/** `header` is a key `namespace:key`. */
export interface Column<Row> {
  id: string;
  header: TextKey;
  cell: (row: Row) => ReactNode;
  /** The whole text of a cell, for its hint. */
  text?: (row: Row) => string;
  align?: 'right';
  /** Pixels, or the share of what is left. */
  width: number | 'grow';
  /** What it may shrink to, in pixels, where the table lacks room. Where nothing is said: its width, or 160 of one that grows. */
  least?: number;
  defaultHidden?: boolean;
  /** In windows below so many pixels, `true` below 1280, it waits in the details of the row, unless somebody asks for it. */
  roomy?: boolean | number;
  /** The details of the row say it in words of their own. */
  told?: boolean;
  minRole?: number;
  /** Stands in one layout only: a card joins what the table keeps apart. */
  only?: 'wide' | 'narrow';
  /** Its place on a card of the narrow layout; without one it is behind the chevron. */
  mobile?: 'title' | 'number' | 'badge' | 'field';
}

export interface RowAction {
  id: string;
  label: string;
  /** What a menu draws in place of the label, where somebody else's words stand in it. */
  words?: ReactNode;
  icon?: ReactNode;
  run: () => void;
  danger?: boolean;
  disabledReason?: string;
  busy?: boolean;
}

export interface BulkAction<Row> {
  id: string;
  label: string;
  icon?: ReactNode;
  danger?: boolean;
  /** `clear` ends the selection, for what leaves nothing to select. */
  run: (rows: Row[], clear: () => void) => void;
}

export interface TableQuery<Row> {
  data?: Rows<Row>;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

export interface EmptyState {
  title: string;
  body?: string;
  action?: { label: string; run: () => void };
}
