import { describe, expect, it } from '@jest/globals';
import { act, render } from '@testing-library/react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { createStore } from '../../app/store.js';
import type { ListState } from './list-state.js';
import { useListState } from './list-state.js';

const spec = { defaults: { keyword: '', status: '' }, accept: { status: /^[1-3]?$/ } };
let list: ListState<typeof spec.defaults>;

function Page() {
  list = useListState('things', spec);
  return null;
}

function open(address: string) {
  const router = createMemoryRouter([{ path: '/', element: <Page /> }], { initialEntries: [address] });
  render(
    <Provider store={createStore()}>
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

  it('drops invalid parameters from the address, without another history entry', async () => {
    const router = open('/?tab=x&status=99&keyword=typed&p=no');
    await act(async () => undefined);
    expect(router.state.location.search).toBe('?tab=x&keyword=typed');
    expect(router.state.historyAction).toBe('REPLACE');
    expect(list.filter).toEqual({ keyword: 'typed', status: '' });
  });

  it('continues from the address after "back"', async () => {
    const router = open('/?keyword=first');
    await act(async () => list.apply({ keyword: 'second' }));
    await act(async () => void (await router.navigate(-1)));
    await act(async () => list.apply({ status: '3' }));
    expect(router.state.location.search).toBe('?keyword=first&status=3');
  });
});
