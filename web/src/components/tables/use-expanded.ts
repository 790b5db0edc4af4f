import { useCallback, useState } from 'react';

/** The rows that are open, by their ids. */
export function useExpanded() {
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const onExpand = useCallback(
    (id: number, on: boolean) =>
      setExpanded((now) => {
        const next = new Set(now);
        if (on) next.add(id);
        else next.delete(id);
        return next;
      }),
    [],
  );
  return { expanded, onExpand };
}
