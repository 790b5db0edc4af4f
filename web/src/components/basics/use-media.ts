import { useMemo, useSyncExternalStore } from 'react';

/** Like MUI's `useMediaQuery`, but without the theme; `false` where there is no `matchMedia`. */
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

/** Narrower than a width in pixels; browser zoom makes fractional widths possible, hence the fraction. */
const below = (pixels: number): string => `(max-width: ${pixels - 0.05}px)`;

/** The same for the screen only: in print, a page keeps the layout that the window has, only smaller. */
const onScreen = (pixels: number): string => `screen and ${below(pixels)}`;

/** Those of the widths (in pixels) that the window does not reach. */
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

/** Below this width in pixels rows of a list are cards: beside the sidebar a list has no more room than on a phone. */
export const CARDS_BELOW = 840;
/** In print a list stays a table, however narrow the paper is. */
export const useCards = (pixels = CARDS_BELOW): boolean => useMedia(onScreen(pixels));
