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

/** A wide window that becomes narrow, and wide again, when it is told so, and tells the page. */
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
  const become = (narrow: boolean) => {
    isNarrow = narrow;
    for (const listener of [...listeners]) listener();
  };
  return {
    narrow: () => become(true),
    widen: () => become(false),
    restore: () => void Reflect.deleteProperty(window, 'matchMedia'),
  };
}
