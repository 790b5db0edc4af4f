import { useLayoutEffect, useRef } from 'react';

/** Longer than a double click, and than a form takes to close. */
const PATIENCE_MS = 1000;

/**
 * Returns a function that tells whether the form has been saved a moment ago. Another submission is then the second press of a double
 * click, which the form got before it was closed, and would save the same twice.
 */
export function useJustSaved(busy: boolean, failed: boolean): () => boolean {
  const savedAt = useRef(-Infinity);
  const wasBusy = useRef(busy);
  // Before the browser can pass on another press.
  useLayoutEffect(() => {
    if (wasBusy.current && !busy && !failed) savedAt.current = performance.now();
    wasBusy.current = busy;
  }, [busy, failed]);
  return () => performance.now() - savedAt.current < PATIENCE_MS;
}
