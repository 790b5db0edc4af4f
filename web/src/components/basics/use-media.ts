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

/** The same of a window: a sheet of paper holds all that the window would, only smaller. */
const onScreen = (pixels: number): string => `screen and ${below(pixels)}`;

/** Those of the widths that the window does not have. */
export function useTooWide(widths: readonly number[]): ReadonlySet<number> {
  const missing = useSyncExternalStore(
    (notify) => {
      const lists = widths.map((pixels) => window.matchMedia?.(onScreen(pixels)));
      for (const list of lists) list?.addEventListener('change', notify);
      return () => {
        for (const list of lists) list?.removeEventListener('change', notify);
      };
    },
    () => widths.filter((pixels) => window.matchMedia?.(onScreen(pixels)).matches).join(' '),
  );
  return useMemo(() => new Set(missing === '' ? [] : missing.split(' ').map(Number)), [missing]);
}

export const useNarrowerThan = (pixels: number): boolean => useMedia(below(pixels));

/** The mobile layout of the spec: 600 px or less. */
export const MOBILE_BELOW = 601;
export const useMobile = (): boolean => useNarrowerThan(MOBILE_BELOW);

/** Between a phone and a desk, beside the sidebar, a list has no more room than on a phone: its rows are cards there too. */
export const CARDS_BELOW = 840;
/** On paper a list keeps its table, however narrow the sheet is. */
export const useCards = (pixels = CARDS_BELOW): boolean => useMedia(onScreen(pixels));
