import { startTransition, useEffect, useState } from 'react';

/** So many rows are drawn at once: what a window of 900 pixels shows, and few enough that nobody waits for them; the next follow by themselves. */
export const AT_ONCE = 16;

interface Drawn {
  ids: readonly number[];
  count: number;
}

/** What is drawn of a new answer: one much like the last is drawn as far as that was, another one from its start. */
export function drawnOf(ids: readonly number[], before?: Drawn): Drawn {
  const known = new Set(before?.ids);
  const fresh = ids.filter((id) => !known.has(id)).length;
  if (!before || fresh > AT_ONCE) return { ids, count: Math.min(AT_ONCE, ids.length) };
  const isWhole = before.count >= before.ids.length;
  return { ids, count: isWhole ? ids.length : Math.min(before.count, ids.length) };
}

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

/** How many of the rows are drawn by now. The browser lays out and paints what is drawn at once in one go: a hundred rows hold it up. */
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
