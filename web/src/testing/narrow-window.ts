/** Until it is taken back, the window answers to every media query that names one of these widths at most, as a phone would. */
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
