import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { useForm } from 'react-hook-form';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import { sessionExpired } from '../../api/events.js';
import { selfConfirmed, signedIn, signedOut } from '../../app/slices/session.js';
import { createStore } from '../../app/store.js';
import { useDraft } from './use-draft.js';

const ann: SessionUser = { id: 2, username: 'ann', display_name: 'Ann', role: 1, status: 1, group: 'default' };

function Form({ id, failure }: { id: number; failure?: unknown }) {
  const form = useForm({ defaultValues: { note: '', key: '' } });
  const { unsure } = useDraft(form, { id: `refund-${id}`, secrets: ['key'], failure });
  return (
    <>
      {unsure && <p>may be saved</p>}
      <button onClick={() => void form.handleSubmit(() => new Promise(() => undefined))()}>save</button>
      <input aria-label="note" {...form.register('note')} />
      <input aria-label="key" {...form.register('key')} />
      <output>{String(form.formState.isDirty)}</output>
    </>
  );
}

/** Renders the page as after a load by the browser. */
function load({ id = 1, user = ann, failure }: { id?: number; user?: SessionUser; failure?: unknown } = {}) {
  cleanup();
  const store = createStore();
  store.dispatch(signedIn(user));
  render(
    <Provider store={store}>
      <MemoryRouter initialEntries={['/topup']}>
        <Form id={id} failure={failure} />
      </MemoryRouter>
    </Provider>,
  );
}
const valueOf = (label: string): string => screen.getByLabelText<HTMLInputElement>(label).value;
const type = (label: string, value: string): void => {
  fireEvent.input(screen.getByLabelText(label), { target: { value } });
};
/** Dispatches the event that a browser sends when a page is left, or shown again from the back-forward cache. */
const tell = (name: 'pagehide' | 'pageshow', persisted = false): void => {
  window.dispatchEvent(Object.assign(new Event(name), { persisted }));
};

describe('the draft of a form', () => {
  beforeEach(() => {
    sessionStorage.clear();
    load();
    type('note', 'a long reason');
    type('key', 'hunter2');
  });

  it('is restored after a reload, without secrets', () => {
    tell('pagehide');
    expect(sessionStorage.getItem('draft')).not.toContain('hunter2');
    load();
    expect(valueOf('note')).toBe('a long reason');
    expect(valueOf('key')).toBe('');
    expect(screen.getByRole('status').textContent).toBe('true');
  });

  it('is not restored again after it was restored and cleared', () => {
    tell('pagehide');
    load();
    type('note', '');
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('');
  });

  it.each<[string, unknown]>([
    ['no forms', { user: 2, forms: null }],
    ['nothing', { user: 2, forms: { '/topup#refund-1': null } }],
    ['a text', { user: 2, forms: { '/topup#refund-1': 'typed' } }],
    ['fields without names', { user: 2, forms: { '/topup#refund-1': { typed: null, seen: 3 } } }],
    [
      'fields of another kind',
      { user: 2, forms: { '/topup#refund-1': { typed: { note: [1], gone: 'x' }, seen: {} } } },
    ],
  ])('is ignored when it does not fit the form, as after an update: %s', (_, draft) => {
    sessionStorage.setItem('draft', JSON.stringify(draft));
    load();
    expect([valueOf('note'), screen.getByRole('status').textContent]).toEqual(['', 'false']);
    type('note', 'anew');
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('anew');
  });

  it('is not shown to another user, nor in the form of another item', () => {
    tell('pagehide');
    load({ id: 2 });
    expect(valueOf('note')).toBe('');
    load({ user: { ...ann, id: 3 } });
    expect(valueOf('note')).toBe('');
  });

  it('is kept after an expired session, and deleted when another user signs in', () => {
    tell('pagehide');
    const store = createStore();
    store.dispatch(signedIn(ann));
    store.dispatch(sessionExpired());
    // The late reply to a request from before the login expired.
    store.dispatch(selfConfirmed(ann));
    expect(sessionStorage.getItem('draft')).toContain('a long reason');
    store.dispatch(signedIn({ ...ann, id: 3 }));
    expect(sessionStorage.getItem('draft')).toBeNull();
  });

  it('is deleted at sign-out', () => {
    tell('pagehide');
    const store = createStore();
    store.dispatch(signedIn(ann));
    expect(sessionStorage.getItem('draft')).toContain('a long reason');
    store.dispatch(signedOut());
    expect(sessionStorage.getItem('draft')).toBeNull();
  });

  it('is not restored after its page was shown again unchanged', () => {
    tell('pagehide', true);
    tell('pageshow', true);
    load();
    expect(valueOf('note')).toBe('');
  });

  it('is deleted with a form that is closed right after the draft was restored', () => {
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('a long reason');
    fireEvent.pointerDown(document.body);
    load();
    expect(valueOf('note')).toBe('');
  });

  it('is kept when it is stored again right after an older one was deleted', () => {
    jest.useFakeTimers();
    try {
      tell('pagehide');
      load();
      type('note', 'a longer reason');
      tell('pagehide');
      jest.runAllTimers();
      load();
      expect(valueOf('note')).toBe('a longer reason');
    } finally {
      jest.useRealTimers();
    }
  });

  it('is deleted when the form is closed', () => {
    load();
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('');
  });

  it.each([
    ['typed text', 'note'],
    ['nothing but a secret', 'key'],
    ['nothing but defaults', undefined],
  ])('says after a reload during a save of %s that it may be saved', async (_, field) => {
    sessionStorage.clear();
    load();
    if (field !== undefined) type(field, 'typed');
    fireEvent.click(screen.getByText('save'));
    // The form is validated first.
    await act(() => Promise.resolve());
    tell('pagehide');
    expect(screen.queryByText('may be saved')).toBeNull();
    load();
    expect(screen.getByText('may be saved')).toBeTruthy();
  });

  it.each([0, 502, 504])('says of a save without a reply (%d) that it may be saved, also after a reload', (status) => {
    load({ failure: { status, message: 'gone' } });
    type('note', 'typed');
    expect(screen.getByText('may be saved')).toBeTruthy();
    tell('pagehide');
    load();
    expect(screen.getByText('may be saved')).toBeTruthy();
  });

  it.each([200, 400, 409, 503])('says nothing like it of a save that was refused (%d)', (status) => {
    load({ failure: { status, message: 'no' } });
    type('note', 'typed');
    tell('pagehide');
    load();
    expect([valueOf('note'), screen.queryByText('may be saved')]).toEqual(['typed', null]);
  });
});
