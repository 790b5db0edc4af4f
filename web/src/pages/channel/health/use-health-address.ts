import { useSearchParams } from 'react-router-dom';

const NAME = 'health';

/** The open health of a channel is an address, `?health=12`, so that it can be passed on. */
export function useHealthAddress() {
  const [params, setParams] = useSearchParams();
  const text = params.get(NAME) ?? '';
  const put = (value: string) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      if (value === '') next.delete(NAME);
      else next.set(NAME, value);
      return next;
    });
  return {
    id: /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined,
    show: (id: number) => put(String(id)),
    close: () => put(''),
  };
}
