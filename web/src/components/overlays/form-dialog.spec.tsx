import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { Field } from '../forms/field.js';
import { DirtyGuard, LeaveGuard } from './dirty-guard.js';
import { FormDialog } from './form-dialog.js';

const closed = jest.fn();
const field = (label: string): HTMLElement => screen.getByLabelText(label);
const type = (label: string): void => void fireEvent.change(field(label), { target: { value: 'typed' } });
const escape = (label: string): void => void fireEvent.keyDown(field(label), { key: 'Escape' });
const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }));

/** The dialog above a form of the page, which has no typed text. */
function Page() {
  const [open, setOpen] = useState(true);
  const close = () => {
    closed();
    setOpen(false);
  };
  return (
    <>
      <LeaveGuard />
      {open && (
        <FormDialog title="title" submitLabel="send" onSubmit={() => undefined} onClose={close}>
          <Field label="note" />
          <Field label="password" type="password" />
          <Field label="code" autoComplete="one-time-code" />
        </FormDialog>
      )}
      <DirtyGuard dirty={false} />
    </>
  );
}

async function open() {
  await startI18n(loadDictionary, 'zh');
  closed.mockReset();
  const routes = [
    { path: '/list', element: <Page /> },
    { path: '*', element: <p>elsewhere</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ['/before', '/list?p=1', '/list?p=2'] });
  render(
    <Provider store={createStore()}>
      <RouterProvider router={router} />
    </Provider>,
  );
  return router;
}

it('submits only its own form, not the form below it', async () => {
  await startI18n(loadDictionary, 'zh');
  const [own, outer] = [jest.fn(), jest.fn()];
  const over = (
    <form onSubmit={outer}>
      <FormDialog title="title" submitLabel="send" onSubmit={own} onClose={() => undefined}>
        <Field label="note" />
      </FormDialog>
    </form>
  );
  render(
    <Provider store={createStore()}>
      <RouterProvider router={createMemoryRouter([{ path: '*', element: over }])} />
    </Provider>,
  );
  fireEvent.submit(field('note'));
  expect([own.mock.calls.length, outer.mock.calls.length]).toEqual([1, 0]);
});

describe('a dialog with a form', () => {
  let router: Awaited<ReturnType<typeof open>>;
  const back = (by = -1) => act(async () => void (await router.navigate(by)));
  const question = () => screen.queryByRole('alertdialog', { name: zh.form.discardTitle });
  beforeEach(async () => {
    router = await open();
  });

  it('closes at once when nothing was typed, or only a password or code', () => {
    type('password');
    type('code');
    escape('code');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('lets "back" pass when nothing was typed', async () => {
    await back(-2);
    expect(router.state.location.pathname).toBe('/before');
    expect(question()).toBeNull();
  });

  it.each([
    ['to another page', -2, '/before'],
    ['to another query of the page', -1, '/list'],
  ])('confirms before "back" %s loses typed text, which is kept or discarded as chosen', async (_, by, path) => {
    type('note');
    await back(by);
    fireEvent.keyDown(await screen.findByRole('alertdialog', { name: zh.form.discardTitle }), { key: 'Escape' });
    await waitFor(() => expect(question()).toBeNull());
    expect(router.state.location.search).toBe('?p=2');
    expect((field('note') as HTMLInputElement).value).toBe('typed');
    await back(by);
    await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    press(zh.action.discard);
    await waitFor(() => expect(router.state.location.search).not.toBe('?p=2'));
    expect(router.state.location.pathname).toBe(path);
    await waitFor(() => expect(screen.queryByLabelText('note')).toBeNull());
  });

  it('does not ask when the page below corrects its own address', async () => {
    type('note');
    await act(() => router.navigate('/list?p=1', { replace: true }));
    expect(router.state.location.search).toBe('?p=1');
    expect(question()).toBeNull();
    expect((field('note') as HTMLInputElement).value).toBe('typed');
    await act(() => router.navigate('/before', { replace: true }));
    await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
  });

  it('warns before a reload once something was typed', () => {
    const unload = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(unload()).toBe(true);
    type('note');
    expect(unload()).toBe(false);
  });

  it.each([
    ['a key', () => escape('note')],
    ['a button', () => press(zh.action.cancel)],
  ])('confirms before %s loses typed text, and keeps it on request', async (_, leave) => {
    type('note');
    leave();
    const question = await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    expect(closed).not.toHaveBeenCalled();
    fireEvent.keyDown(question, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(closed).not.toHaveBeenCalled();
    expect((field('note') as HTMLInputElement).value).toBe('typed');
    leave();
    await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    press(zh.action.discard);
    await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  });
});
