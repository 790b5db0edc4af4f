import type { KeyboardEvent, RefObject } from 'react';
import { useLayoutEffect, useState } from 'react';

const FOCUSABLE = 'a[href], button, input, select, [tabindex]';

interface Handlers {
  open?: (index: number) => void;
  select?: (index: number, range: boolean) => void;
  expand?: (index: number, on: boolean) => void;
}

/** Handles a key while the row itself has the focus; controls inside the row keep their own keys. */
function actOn(key: string, index: number, { open, select, expand }: Handlers): boolean {
  if (key === 'Enter') open?.(index);
  else if (key === ' ' || key === 'x') select?.(index, false);
  else if (key === 'ArrowRight') expand?.(index, true);
  else if (key === 'ArrowLeft') expand?.(index, false);
  else return false;
  return true;
}

/** Roving focus: only the current row is in the tab order, arrows move between rows, single keys act on the focused row. */
export function useTableKeys(body: RefObject<HTMLElement | null>, count: number, handlers: Handlers) {
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, Math.max(0, count - 1));
  const rows = (): HTMLElement[] => [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];

  // Runs after every render, because pages render cells without knowledge of the tab order; the selector finds only the few elements to
  // change.
  useLayoutEffect(() => {
    const put = (within: string, wrong: string, index: number): void => {
      const controls = body.current?.querySelectorAll<HTMLElement>(`${within} :is(${FOCUSABLE})${wrong}`) ?? [];
      for (const control of controls) control.tabIndex = index;
    };
    put(`[data-row]:not([data-row="${at}"])`, ':not([tabindex="-1"])', -1);
    put(`[data-row="${at}"]`, ':not([tabindex="0"])', 0);
  });

  const move = (to: number): void => {
    const row = rows()[to];
    if (!row) return;
    setCurrent(to);
    row.focus();
  };
  const act = (key: string, row: HTMLElement, index: number): boolean => {
    if (key === 'ArrowDown' || key === 'j') move(index + 1);
    else if (key === 'ArrowUp' || key === 'k') move(index - 1);
    else if (key === '.') row.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.click();
    else if (key === 'Escape') document.querySelector<HTMLElement>('[data-filter-bar] input')?.focus();
    else return actOn(key, index, handlers);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (!row || event.target !== row || modified) return;
    if (act(event.key, row, rows().indexOf(row))) event.preventDefault();
  };
  const onFocus = (event: { target: EventTarget }): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    if (row) setCurrent(Math.max(0, rows().indexOf(row)));
  };
  return { current: at, onKeyDown, onFocus };
}
