import { describe, expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import type { SyntheticEvent } from 'react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { startI18n } from '../../app/i18n/index.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { Field } from '../forms/field.js';
import { SideDrawer } from './side-drawer.js';

const sent = jest.fn((event: SyntheticEvent) => event.preventDefault());

async function open(busy: boolean): Promise<HTMLElement> {
  await startI18n(loadDictionary, 'zh');
  sent.mockClear();
  const drawer = (
    <SideDrawer title="title" onClose={() => undefined} onSubmit={sent} dirty={false} busy={busy}>
      <Field label="note" />
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
  ])('is sent by %s and Enter', async (_, key) => {
    fireEvent.keyDown(await open(false), { key: 'Enter', ...key });
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('is not sent again while it waits for its answer', async () => {
    fireEvent.keyDown(await open(true), { key: 'Enter', ctrlKey: true });
    expect(sent).not.toHaveBeenCalled();
  });
});
