import { describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode, SyntheticEvent } from 'react';
import { useState } from 'react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { Field } from '../forms/field.js';
import { FormDialog } from './form-dialog.js';
import { SideDrawer } from './side-drawer.js';

const sent = jest.fn((event: SyntheticEvent) => event.preventDefault());
const ofDialog = jest.fn((event: SyntheticEvent) => event.preventDefault());

async function open(busy: boolean, above?: ReactNode): Promise<HTMLElement> {
  await startI18n(loadDictionary, 'zh');
  sent.mockClear();
  ofDialog.mockClear();
  const drawer = (
    <SideDrawer title="title" onClose={() => undefined} onSubmit={sent} dirty={false} busy={busy}>
      <Field label="note" />
      {above}
    </SideDrawer>
  );
  render(
    <Provider store={createStore()}>
      <RouterProvider router={createMemoryRouter([{ path: '/', element: drawer }])} />
    </Provider>,
  );
  return screen.findByLabelText('note');
}

describe('a drawer with a form', () => {
  it.each([
    ['Ctrl', { ctrlKey: true }],
    ['⌘', { metaKey: true }],
  ])('is submitted by %s and Enter', async (_, key) => {
    fireEvent.keyDown(await open(false), { key: 'Enter', ...key });
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('is not submitted again during a request', async () => {
    fireEvent.keyDown(await open(true), { key: 'Enter', ctrlKey: true });
    expect(sent).not.toHaveBeenCalled();
  });

  it.each([
    ['is not submitted by the second press of a double click, when it was saved between them', undefined, 0],
    ['is submitted again after a refusal', { status: 200, message: 'no' }, 1],
  ])('%s', async (_, error, expected) => {
    await startI18n(loadDictionary, 'zh');
    sent.mockClear();
    let end = (): void => undefined;
    const Drawer = () => {
      const [busy, setBusy] = useState(true);
      end = () => setBusy(false);
      const failed = busy ? undefined : error;
      return (
        <SideDrawer title="title" onClose={() => undefined} onSubmit={sent} dirty={false} busy={busy} error={failed}>
          <Field label="note" />
        </SideDrawer>
      );
    };
    render(
      <Provider store={createStore()}>
        <RouterProvider router={createMemoryRouter([{ path: '/', element: <Drawer /> }])} />
      </Provider>,
    );
    await screen.findByLabelText('note');
    act(() => end());
    fireEvent.click(screen.getByRole('button', { name: zh.action.submit }));
    expect(sent).toHaveBeenCalledTimes(expected);
  });

  it('is not submitted by events in a dialog above it', async () => {
    const dialog = (
      <FormDialog title="above" submitLabel="ok" busy={false} onSubmit={ofDialog} onClose={() => undefined}>
        <Field label="name" />
      </FormDialog>
    );
    await open(false, dialog);
    const field = screen.getByLabelText('name');
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    fireEvent.submit(field);
    expect(ofDialog).toHaveBeenCalledTimes(1);
    expect(sent).not.toHaveBeenCalled();
  });
});
