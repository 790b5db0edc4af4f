import type { NavigateOptions } from 'react-router-dom';
import { useSearchParams } from 'react-router-dom';
import { overPage, useOverEntry } from '../../../components/overlays/use-over-entry.js';

const NAME = 'health';

/** The health drawer has an address, `?health=12`, so that a link to it can be shared. */
export function useHealthAddress() {
  const [params, setParams] = useSearchParams();
  const text = params.get(NAME) ?? '';
  const entry = useOverEntry();
  const put = (value: string, options: NavigateOptions) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      if (value === '') next.delete(NAME);
      else next.set(NAME, value);
      return next;
    }, options);
  return {
    id: /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined,
    show: (id: number) => put(String(id), { state: overPage }),
    close: () => entry.leave(() => put('', { replace: true })),
  };
}
