import { useRef, useState } from 'react';

/** Ignores further presses while a long action runs. */
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
