import { useEffect, useState } from 'react';

const SIZE = 10;

/** The list state (page and search) of a table whose rows are all in memory; it is not kept in the address. */
export function useKeywordList(keyword: string, clear: () => void) {
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(SIZE);
  useEffect(() => setPage(1), [keyword]);
  return {
    page,
    size,
    filter: { keyword },
    active: keyword === '' ? [] : ['keyword'],
    clear,
    setPage: (next: number) => setPage(next),
    setSize: (next: number) => {
      setPage(Math.floor(((page - 1) * size) / next) + 1);
      setSize(next);
    },
  };
}
