import { describe, expect, it } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { useSelection } from './table-selection.js';

const rowsOf = (page: number, size: number): number[] =>
  Array.from({ length: size }, (_, index) => (page - 1) * size + index + 1);

function open(page: number, size: number) {
  const propsOf = (at: { page: number; size: number }, isFetching = false) => ({
    ...at,
    items: rowsOf(at.page, at.size),
    isFetching,
    filterKey: '',
    rowId: (row: number) => row,
  });
  const view = renderHook(useSelection<number>, { initialProps: propsOf({ page, size }) });
  return {
    selection: () => view.result.current,
    toggle: (id: number) => act(() => view.result.current.toggle(id, false)),
    show: (at: { page: number; size: number }) => {
      view.rerender(propsOf(at, true));
      view.rerender(propsOf(at));
    },
    answer: (at: { page: number; size: number }, items: number[]) => view.rerender({ ...propsOf(at), items }),
  };
}

describe('a selection', () => {
  it('is kept when the page size changes', () => {
    const table = open(1, 50);
    table.toggle(3);
    table.toggle(40);
    table.show({ page: 1, size: 10 });
    expect([...table.selection().rows.keys()]).toEqual([3, 40]);
    expect(table.selection().pages).toBe(2);
    table.show({ page: 4, size: 10 });
    expect(table.selection().page).toBe('some');
  });

  it('loses rows that the refetched page lacks', () => {
    const table = open(2, 10);
    table.toggle(12);
    table.toggle(13);
    table.answer({ page: 2, size: 10 }, [11, 13]);
    expect([...table.selection().rows.keys()]).toEqual([13]);
  });
});
