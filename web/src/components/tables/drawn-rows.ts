import { startTransition, useEffect, useState } from 'react';

/**
 * Number of rows rendered at once: fills a window of 900 pixels and renders without a noticeable delay. The remaining rows follow by
 * themselves.
 */
export const AT_ONCE = 16;

interface Drawn {
  ids: readonly number[];
  count: number;
}

/** Number of rows to render of new data: as many as before if most of them were there before, otherwise only the first ones. */
export function drawnOf(ids: readonly number[], before?: Drawn): Drawn {
  const known = new Set(before?.ids);
  const fresh = ids.filter((id) => !known.has(id)).length;
  if (!before || fresh > AT_ONCE) return { ids, count: Math.min(AT_ONCE, ids.length) };
  const isWhole = before.count >= before.ids.length;
  return { ids, count: isWhole ? ids.length : Math.min(before.count, ids.length) };
}

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

/**
 * Number of rows rendered so far. The browser lays out and paints everything rendered at once in one go, so a hundred rows would block it.
 */
export function useDrawnRows(ids: readonly number[]): number {
  const [drawn, setDrawn] = useState(() => drawnOf(ids));
  const next = same(drawn.ids, ids) ? drawn : drawnOf(ids, drawn);
  if (next !== drawn) setDrawn(next);
  const { count } = next;
  useEffect(() => {
    if (count >= next.ids.length) return;
    startTransition(() =>
      setDrawn((now) => (now === next ? { ...now, count: Math.min(now.count + AT_ONCE, now.ids.length) } : now)),
    );
  }, [next, count]);
  return count;
}
