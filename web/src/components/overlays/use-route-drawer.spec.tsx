import { beforeEach, describe, expect, it } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { Provider } from 'react-redux';
import { RouterProvider, createBrowserRouter, createMemoryRouter } from 'react-router-dom';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { DirtyGuard, LeaveGuard } from './dirty-guard.js';
import type { RouteDrawer } from './use-route-drawer.js';
import { useRouteDrawer } from './use-route-drawer.js';

/** Sends the reply to the pending save. */
let answer: () => void = () => undefined;
/** What the page was told of saves. */
let told: string[] = [];

function Form({ drawer }: { drawer: RouteDrawer }) {
  const [text, setText] = useState('');
  const saveLate = () => new Promise<void>((resolve) => (answer = resolve)).then(drawer.saved);
  return (
    <>
      <input aria-label="name" value={text} onChange={(event) => setText(event.target.value)} />
      <button onClick={drawer.saved}>save</button>
      <button onClick={() => void saveLate()}>save late</button>
      <button onClick={() => drawer.savedAfter((name: string) => told.push(name))(text)}>save and tell</button>
      <button onClick={drawer.close}>cancel</button>
      <DirtyGuard dirty={text !== ''} />
    </>
  );
}

function Page() {
  const drawer = useRouteDrawer('/list');
  return (
    <>
      <LeaveGuard />
      <button onClick={drawer.add}>add</button>
      {drawer.open && <Form drawer={drawer} />}
    </>
  );
}

async function open(entries?: string[]) {
  await startI18n(loadDictionary, 'zh');
  const routes = [
    { path: '/list/:mode?/:id?', element: <Page /> },
    { path: '*', element: <p>elsewhere</p> },
  ];
  const router = entries ? createMemoryRouter(routes, { initialEntries: entries }) : createBrowserRouter(routes);
  render(
    <Provider store={createStore()}>
      <RouterProvider router={router} />
    </Provider>,
  );
  return router;
}
const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }));
const type = (): void => void fireEvent.change(screen.getByLabelText('name'), { target: { value: 'typed' } });
const asks = () => screen.queryByRole('alertdialog', { name: zh.form.discardTitle });

describe('a drawer with its own address', () => {
  let router: Awaited<ReturnType<typeof open>>;
  const path = (): string => router.state.location.pathname;
  const back = () => act(async () => void (await router.navigate(-1)));
  beforeEach(async () => {
    router = await open(['/before', '/list']);
  });

  const add = async () => {
    press('add');
    await screen.findByLabelText('name');
  };
  const leave = async (how: 'save' | 'cancel') => {
    press(how);
    await waitFor(() => expect(path()).toBe('/list'));
  };

  it.each(['save', 'cancel'] as const)(
    'leaves one entry of the list after "%s": the first "back" leaves it',
    async (how) => {
      await add();
      if (how === 'save') type();
      await leave(how);
      expect(screen.queryByLabelText('name')).toBeNull();
      await back();
      expect(path()).toBe('/before');
    },
  );

  it('goes back once for several closes', async () => {
    await add();
    const cancel = screen.getByRole('button', { name: 'cancel' });
    act(() => {
      fireEvent.click(cancel);
      fireEvent.click(cancel);
    });
    await waitFor(() => expect(path()).toBe('/list'));
    await act(async () => undefined);
    expect(path()).toBe('/list');
  });

  it('confirms before "cancel" loses typed text, and can be closed at the second try', async () => {
    await add();
    type();
    for (const answer of [zh.action.cancel, zh.action.discard]) {
      press('cancel');
      await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
      press(answer);
      await waitFor(() => expect(asks()).toBeNull());
    }
    await waitFor(() => expect(path()).toBe('/list'));
    await back();
    expect(path()).toBe('/before');
  });

  it('closes without a confirmation after saving', async () => {
    await add();
    type();
    await leave('save');
    expect(asks()).toBeNull();
  });

  it('closes in the same way after the page was told what was saved', async () => {
    told = [];
    await add();
    type();
    press('save and tell');
    await waitFor(() => expect(path()).toBe('/list'));
    expect(asks()).toBeNull();
    expect(told).toEqual(['typed']);
  });

  it('confirms before "back" loses typed text, also after an earlier save', async () => {
    await add();
    type();
    await leave('save');
    await add();
    type();
    await back();
    expect(await screen.findByRole('alertdialog', { name: zh.form.discardTitle })).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('name').value).toBe('typed');
    press(zh.action.discard);
    await waitFor(() => expect(path()).toBe('/list'));
  });

  it.each([['the list'], ['another drawer'], ['another page']])(
    'does not navigate when the user went to %s before the save ended',
    async (where) => {
      await add();
      press('save late');
      await leave('cancel');
      if (where === 'another drawer') await add();
      if (where === 'another page') await act(async () => void (await router.navigate('/elsewhere')));
      const there = path();
      await act(async () => answer());
      await act(async () => undefined);
      expect(path()).toBe(there);
    },
  );

  it('shows the list when it is closed after its address was opened directly', async () => {
    await act(async () => void (await router.navigate('/list/edit/7', { replace: true })));
    await screen.findByLabelText('name');
    await leave('cancel');
    await back();
    expect(path()).toBe('/before');
  });
});

describe('a drawer in a browser that goes back with a delay', () => {
  it('closes after the first confirmation that the text may be discarded', async () => {
    window.history.replaceState(null, '', '/list');
    const router = await open();
    press('add');
    await screen.findByLabelText('name');
    type();
    press('cancel');
    await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    press(zh.action.discard);
    await waitFor(() => expect(router.state.location.pathname).toBe('/list'));
    await waitFor(() => expect(screen.queryByLabelText('name')).toBeNull());
    expect(asks()).toBeNull();
  });
});
