import type { RefObject } from 'react';
import { useEffect, useState } from 'react';

const AHEAD = 12;
/** Shorter lists are rendered whole. */
const ENOUGH = 100;

interface RowWindow {
  from: number;
  to: number;
  /** Heights in pixels of the rows that are not rendered. */
  before: number;
  after: number;
}

export function windowOf(count: number, height: number, scrollTop: number, viewHeight: number): RowWindow {
  if (count <= ENOUGH) return { from: 0, to: count, before: 0, after: 0 };
  const from = Math.max(0, Math.min(count, Math.floor(scrollTop / height)) - AHEAD);
  const to = Math.min(count, Math.ceil((scrollTop + viewHeight) / height) + AHEAD);
  return { from, to, before: from * height, after: (count - to) * height };
}

/** The visible rows of a long table, by the scroll position of its frame (or of the page, if the page scrolls). */
export function useRowWindow(frame: RefObject<HTMLElement | null>, count: number, height: number): RowWindow {
  const [view, setView] = useState({ top: 0, height: 900 });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      const inner = element.scrollHeight > element.clientHeight + 1;
      const top = inner ? element.scrollTop : Math.max(0, -element.getBoundingClientRect().top);
      setView({ top, height: inner ? element.clientHeight : window.innerHeight });
    };
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      element.removeEventListener('scroll', measure);
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [frame, count]);
  return windowOf(count, height, view.top, view.height);
}
