import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { createElement } from 'react';
import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { createStore } from '../../app/store.js';
import { useMobile } from '../basics/use-media.js';
import { columnLayout, foldColumns, useColumns } from './table-columns.js';
import type { Column } from './table-types.js';

const column = (width: number | 'grow', least?: number): Column<unknown> => ({
  id: String(width),
  header: 'table.actions',
  width,
  least,
  cell: () => null,
});

describe('the widths of columns', () => {
  it('are the requested ones for fixed columns, and the rest for a growing one', () => {
    const { minimum, widths, padding } = columnLayout([column(100), column('grow')], 40);
    expect({ minimum, widths, padding }).toEqual({ minimum: 300, widths: ['100px', undefined], padding: '12px' });
  });

  it('shrink in proportion to fit the table, as does the padding', () => {
    const { minimum, widths, padding } = columnLayout([column(100, 70), column(200, 190), column(50)], 40);
    expect(minimum).toBe(350);
    expect(widths).toEqual([
      'clamp(70px, 70px + (100cqi - 350px) * 30 / 40, 100px)',
      'clamp(190px, 190px + (100cqi - 350px) * 10 / 40, 200px)',
      '50px',
    ]);
    expect(padding).toBe('clamp(8px, 8px + (100cqi - 350px) * 4 / 40, 12px)');
  });
});

describe('columns for wide windows', () => {
  const columns: Column<unknown>[] = [
    { ...column('grow'), id: 'name' },
    { ...column(100), id: 'created', roomy: true },
    { ...column(100), id: 'email', defaultHidden: true },
  ];

  /** Simulates a window of this width in pixels. */
  const inWindow = (width: number): void => {
    const listen = () => undefined;
    const answer = (query: string) => ({
      matches: width <= Number(/max-width: ([\d.]+)px/.exec(query)?.[1]),
      addEventListener: listen,
      removeEventListener: listen,
    });
    Object.defineProperty(window, 'matchMedia', { configurable: true, value: jest.fn(answer) });
  };
  const [wide, small, phone] = [1600, 1279, 400];
  const open = () => {
    const store = createStore();
    const wrapper = ({ children }: { children: ReactNode }) => createElement(Provider, { store, children });
    return renderHook(() => useColumns('some', columns, useMobile()), { wrapper }).result;
  };
  const waitingIn = (width: number): string[] => {
    inWindow(width);
    return open().current.waiting.map(({ id }) => id);
  };
  const shownIn = (width: number): string[] => {
    inWindow(width);
    return open().current.visible.map(({ id }) => id);
  };

  beforeEach(() => localStorage.clear());
  afterEach(() => void Reflect.deleteProperty(window, 'matchMedia'));

  it('are offered in the settings of a narrow window, but not on cards', () => {
    expect(shownIn(wide)).toEqual(['name', 'created']);
    expect(shownIn(small)).toEqual(['name']);
    expect(shownIn(phone)).toEqual(['name', 'created']);
  });

  it('are shown in the details of a row in a narrow window, alone', () => {
    expect(waitingIn(wide)).toEqual([]);
    expect(waitingIn(small)).toEqual(['created']);
    inWindow(small);
    const { current } = open();
    act(() => current.save({ name: true, created: false, email: true }));
    expect(waitingIn(small)).toEqual(['created']);
    expect(waitingIn(phone)).toEqual([]);
  });

  it('stay in wide windows when the settings are saved in a small one', () => {
    inWindow(small);
    const { current } = open();
    act(() => current.save({ name: true, created: false, email: true }));
    expect(shownIn(small)).toEqual(['name', 'email']);
    expect(shownIn(wide)).toEqual(['name', 'created', 'email']);
  });

  it('are shown in every window when the user selects them in a narrow one', () => {
    inWindow(small);
    const result = open();
    act(() => result.current.save({ name: true, created: true, email: false }));
    expect(shownIn(small)).toEqual(['name', 'created']);
    expect(shownIn(wide)).toEqual(['name', 'created']);
    expect(waitingIn(small)).toEqual([]);
    inWindow(small);
    expect(result.current.shown).toMatchObject({ created: true });
    act(() => result.current.save({ name: true, created: false, email: false }));
    expect(shownIn(small)).toEqual(['name']);
    expect(shownIn(wide)).toEqual(['name', 'created']);
  });

  it('do not make a narrow table scroll because columns were saved in a wide window', () => {
    inWindow(wide);
    const { current } = open();
    act(() => current.save({ name: true, created: true, email: false }));
    expect(shownIn(wide)).toEqual(['name', 'created']);
    expect(shownIn(small)).toEqual(['name']);
    expect(waitingIn(small)).toEqual(['created']);
    expect(open().current.shown).toMatchObject({ created: false });
  });

  it('are hidden in every window when the user has hidden them in a wide one', () => {
    inWindow(small);
    const { current } = open();
    act(() => current.save({ name: true, created: true, email: false }));
    inWindow(wide);
    const desk = open();
    act(() => desk.current.save({ name: true, created: false, email: false }));
    expect([shownIn(wide), shownIn(small), waitingIn(small)]).toEqual([['name'], ['name'], []]);
  });

  it('make room for columns that the user has added', () => {
    inWindow(wide);
    const { current } = open();
    act(() => current.save({ name: true, created: true, email: true }));
    expect(shownIn(1379)).toEqual(['name', 'email']);
    expect(shownIn(1380)).toEqual(['name', 'created', 'email']);
  });
});

describe('columns that move to the details', () => {
  const columns: Column<unknown>[] = [
    { ...column('grow'), id: 'name' },
    { ...column(300), id: 'first' },
    { ...column(150, 100), id: 'second' },
    { ...column(100), id: 'hidden', defaultHidden: true },
    { ...column(100), id: 'card', only: 'narrow' },
  ];
  const roomsOf = (found: Column<unknown>[]) => Object.fromEntries(found.map(({ id, roomy }) => [id, roomy]));

  it('are shown one by one in windows with room for them and the chevron', () => {
    // 160 and 300 beside 50 and the chevron, plus the page around it on a tablet; with the last column the chevron is not needed.
    const folded = foldColumns(columns, ['first', 'second', 'hidden'], { beside: 50 });
    expect(roomsOf(folded)).toEqual({ name: undefined, first: 550 + 234, second: 610 + 234, hidden: undefined });
  });

  it('leave room for the chevron of rows with details, and for the frame of the desktop layout', () => {
    const folded = foldColumns(columns, ['first', 'second'], { beside: 150, opens: true });
    expect(roomsOf(folded)).toMatchObject({ first: 650 + 234, second: 750 + 250 });
  });
});
