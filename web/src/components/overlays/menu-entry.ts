import type { ReactNode } from 'react';

export interface MenuEntry {
  id: string;
  label: ReactNode;
  icon?: ReactNode;
  run: () => void;
  selected?: boolean;
  danger?: boolean;
  /** Disables the entry, which stays focusable and shows this reason. */
  disabledReason?: string;
  /** Draws a line above the entry. */
  divided?: boolean;
  href?: string;
}
