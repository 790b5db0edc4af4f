import { useMemo, useSyncExternalStore } from 'react';

/** `useMediaQuery` without the theme; false where there is no `matchMedia`. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (notify) => {
      const list = window.matchMedia?.(query);
      list?.addEventListener('change', notify);
      return () => list?.removeEventListener('change', notify);
    },
    () => window.matchMedia?.(query).matches ?? false,
  );
}

/** Below a width in pixels, between two whole ones too. */
const below = (pixels: number): string => `(max-width: ${pixels - 0.05}px)`;

/** Those of the widths that the window does not have. */
export function useTooWide(widths: readonly number[]): ReadonlySet<number> {
  const missing = useSyncExternalStore(
    (notify) => {
      const lists = widths.map((pixels) => window.matchMedia?.(below(pixels)));
      for (const list of lists) list?.addEventListener('change', notify);
      return () => {
        for (const list of lists) list?.removeEventListener('change', notify);
      };
    },
    () => widths.filter((pixels) => window.matchMedia?.(below(pixels)).matches).join(' '),
  );
  return useMemo(() => new Set(missing === '' ? [] : missing.split(' ').map(Number)), [missing]);
}

export const useNarrowerThan = (pixels: number): boolean => useMedia(below(pixels));

/** The mobile layout of the spec: 600 px or less. */
export const MOBILE_BELOW = 601;
export const useMobile = (): boolean => useNarrowerThan(MOBILE_BELOW);
