import type { ReactNode } from 'react';
import type { TextKey } from '../../app/i18n/text-keys.js';
import type { Rows } from '../../api/paged.js';

/** `header` is a text key, `namespace:key`. */
export interface Column<Row> {
  id: string;
  header: TextKey;
  cell: (row: Row) => ReactNode;
  /** The full text of a cell, for its tooltip. */
  text?: (row: Row) => string;
  align?: 'right';
  /** Width in pixels; `grow` columns share the remaining width. */
  width: number | 'grow';
  /** The width in pixels to which the column may shrink. Default: its `width`, or 160 for a `grow` column. */
  least?: number;
  defaultHidden?: boolean;
  /**
   * In windows narrower than this (pixels; `true`: 1280) the column is in the details of the row, unless the reader has chosen to show it.
   */
  roomy?: boolean | number;
  /** The details of the row have this value already, so it is not repeated there as a waiting column. */
  told?: boolean;
  minRole?: number;
  /** Exists in one layout only: cards combine some columns that the table has separately. */
  only?: 'wide' | 'narrow';
  /** Place on a card of the narrow layout; without one the column is shown only when the card is open. */
  mobile?: 'title' | 'number' | 'badge' | 'field';
}

export interface RowAction {
  id: string;
  label: string;
  /** What a menu shows instead of the label, if the label contains text of an operator or a user. */
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
  /** `clear` ends the selection, for actions after which the selected rows no longer exist. */
  run: (rows: Row[], clear: () => void) => void;
}

export interface TableQuery<Row> {
  data?: Rows<Row>;
  /** Absent while `data` still answers an earlier filter or page. A query without it counts as answered. */
  currentData?: unknown;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

export interface EmptyState {
  title: string;
  body?: string;
  action?: { label: string; run: () => void };
}
