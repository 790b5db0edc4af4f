import type { ReactNode } from 'react';

export interface MenuEntry {
  id: string;
  label: ReactNode;
  icon?: ReactNode;
  run: () => void;
  selected?: boolean;
  danger?: boolean;
  /** Stays focusable and says why. */
  disabledReason?: string;
  /** A line above the entry. */
  divided?: boolean;
  href?: string;
}
