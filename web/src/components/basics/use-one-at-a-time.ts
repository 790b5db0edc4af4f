import { useRef, useState } from 'react';

/** A long action: while it runs, a second press begins nothing. */
export function useOneAtATime(run: () => Promise<unknown>) {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const start = () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    void run().finally(() => {
      running.current = false;
      setBusy(false);
    });
  };
  return { busy, start };
}
