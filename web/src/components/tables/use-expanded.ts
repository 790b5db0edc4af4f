import { useCallback, useState } from 'react';

/** Ids of the open rows. */
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
