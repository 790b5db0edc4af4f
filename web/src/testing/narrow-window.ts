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
