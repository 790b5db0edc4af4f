/**
 * Makes `matchMedia` match every media query that `widths` matches, as in a window of a phone, until the returned
 * function is called.
 */
export function narrowWindow(widths = /max-width/): () => void {
  const matchMedia = (query: string) => ({
    matches: widths.test(query),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  });
  Object.defineProperty(window, 'matchMedia', { configurable: true, value: matchMedia });
  return () => void Reflect.deleteProperty(window, 'matchMedia');
}

/** A wide window that becomes narrow when `narrow` is called, and tells the page so. */
export function shrinkingWindow() {
  const listeners = new Set<() => void>();
  let isNarrow = false;
  const matchMedia = (query: string) => ({
    get matches() {
      return isNarrow && query.includes('max-width');
    },
    media: query,
    addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
    addListener: () => undefined,
    removeListener: () => undefined,
  });
  Object.defineProperty(window, 'matchMedia', { configurable: true, value: matchMedia });
  return {
    narrow: () => {
      isNarrow = true;
      for (const listener of [...listeners]) listener();
    },
    restore: () => void Reflect.deleteProperty(window, 'matchMedia'),
  };
}
