import type { FocusEvent } from 'react';
import { useEffect, useRef } from 'react';

const ROW = '[data-row]';

interface Had {
  target: HTMLElement;
  /** Absent if the focus was beside the rows. */
  row: HTMLElement | null;
  index: number;
  /** The focus came by the keyboard. Whoever uses a pointer may have scrolled elsewhere. */
  isVisible: boolean;
}

/** What is opened from a row and returns the focus to it. */
const OVERLAY = '[role=dialog],[role=alertdialog],[role=menu]';

/**
 * Keeps the focus in a table or list when what had it is gone: it moves to the row of a button that the row has lost, to the row that took
 * the place of a deleted one, or to the frame. Otherwise a reader would start again at the top of the page.
 */
export function useFocusKept() {
  const frame = useRef<HTMLDivElement>(null);
  const had = useRef<Had>(undefined);
  const rows = (): HTMLElement[] => [...(frame.current?.querySelectorAll<HTMLElement>(ROW) ?? [])];
  const onFocus = ({ target }: FocusEvent<HTMLElement>): void => {
    // The events of a row's menu bubble to here as well, and it belongs to the row.
    if (!frame.current?.contains(target)) return;
    const row = target.closest<HTMLElement>(ROW);
    const index = row ? rows().indexOf(row) : -1;
    had.current = { target, row, index, isVisible: target.matches(':focus-visible') };
  };
  const onBlur = ({ relatedTarget, target }: FocusEvent<HTMLElement>): void => {
    // A click beside everything; the focus of a row that goes away moves nowhere without an event.
    const isLost = relatedTarget === null && target.isConnected;
    const isElsewhere =
      relatedTarget instanceof Element && !frame.current?.contains(relatedTarget) && !relatedTarget.closest(OVERLAY);
    if (isLost || isElsewhere) had.current = undefined;
  };
  // After every render, because the target may go before or after the dialog closes that returns the focus to it.
  useEffect(() => {
    const last = had.current;
    if (!last || last.target.isConnected || document.activeElement !== document.body) return;
    had.current = undefined;
    const left = rows();
    const kept = last.row?.isConnected ? last.row : left[Math.min(last.index, left.length - 1)];
    (kept ?? frame.current)?.focus({ preventScroll: !last.isVisible });
  });
  return { ref: frame, onFocus, onBlur };
}
