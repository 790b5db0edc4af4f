import { useSyncExternalStore } from 'react';

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

/** The mobile layout of the spec: 600 px or less. */
export const useMobile = (): boolean => useMedia('(max-width: 600px)');
