import { describe, expect, it } from '@jest/globals';
import { act, render } from '@testing-library/react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { signedIn } from '../../app/slices/session.js';
import { selectToasts } from '../../app/slices/toasts.js';
import { createStore } from '../../app/store.js';
import type { ListState } from './list-state.js';
import { useListState } from './list-state.js';

const spec = { defaults: { keyword: '', status: '' }, accept: { status: /^[1-3]?$/ } };
let list: ListState<typeof spec.defaults>;

function Page() {
  list = useListState('things', spec);
  return null;
}

const ann: SessionUser = { id: 2, username: 'ann', display_name: 'Ann', role: 1, status: 1, group: 'default' };

function open(address: string, store = createStore()) {
  const router = createMemoryRouter([{ path: '/', element: <Page /> }], { initialEntries: [address] });
  render(
    <Provider store={store}>
      <RouterProvider router={router} />
    </Provider>,
  );
  return router;
}

describe('the state of a list', () => {
  it('keeps both of two filters that are set before the next render', async () => {
    const router = open('/?tab=x');
    await act(async () => {
      list.apply({ keyword: 'typed' });
      list.apply({ status: '3' });
    });
    expect(router.state.location.search).toBe('?tab=x&keyword=typed&status=3');
    expect(list.filter).toEqual({ keyword: 'typed', status: '3' });
  });

  it('drops invalid parameters from the address and says so, without another history entry', async () => {
    const store = createStore();
    const address = '?tab=x&status=99&keyword=typed&p=no';
    const router = open(`/${address}`, store);
    await act(async () => undefined);
    // The role is a guess until the server confirms it, and other roles may use other filters.
    expect(router.state.location.search).toBe(address);
    expect(selectToasts(store.getState())).toEqual([]);
    await act(async () => void store.dispatch(signedIn(ann)));
    expect(router.state.location.search).toBe('?tab=x&keyword=typed');
    expect(router.state.historyAction).toBe('REPLACE');
    expect(list.filter).toEqual({ keyword: 'typed', status: '' });
    const told = { severity: 'info', key: 'table.ignored', params: { names: 'status, p' }, count: 1 };
    expect(selectToasts(store.getState())).toMatchObject([told]);
  });

  it('has the page size of the address until another one is chosen', async () => {
    const router = open('/?page_size=20&p=3');
    await act(async () => undefined);
    expect(list).toMatchObject({ size: 20, page: 3, request: { size: 20 } });
    await act(async () => list.apply({ keyword: 'typed' }));
    expect(router.state.location.search).toBe('?page_size=20&keyword=typed');
    expect(list.size).toBe(20);
    await act(async () => list.setPage(2));
    await act(async () => list.setSize(10));
    expect(router.state.location.search).toBe('?keyword=typed&p=3');
    expect(list).toMatchObject({ size: 10, page: 3 });
  });

  it('continues from the address after "back"', async () => {
    const router = open('/?keyword=first');
    await act(async () => list.apply({ keyword: 'second' }));
    await act(async () => void (await router.navigate(-1)));
    await act(async () => list.apply({ status: '3' }));
    expect(router.state.location.search).toBe('?keyword=first&status=3');
  });
});
