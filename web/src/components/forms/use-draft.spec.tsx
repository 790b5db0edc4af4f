import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { useForm } from 'react-hook-form';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import { sessionExpired } from '../../api/events.js';
import { selfConfirmed, signedIn, signedOut } from '../../app/slices/session.js';
import { createStore } from '../../app/store.js';
import { useDraft } from './use-draft.js';

const ann: SessionUser = { id: 2, username: 'ann', display_name: 'Ann', role: 1, status: 1, group: 'default' };

function Form({ id }: { id: number }) {
  const form = useForm({ defaultValues: { note: '', key: '' } });
  useDraft(form, { id: `refund-${id}`, secrets: ['key'] });
  return (
    <>
      <input aria-label="note" {...form.register('note')} />
      <input aria-label="key" {...form.register('key')} />
      <output>{String(form.formState.isDirty)}</output>
    </>
  );
}

/** Renders the page as after a load by the browser. */
function load({ id = 1, user = ann } = {}) {
  cleanup();
  const store = createStore();
  store.dispatch(signedIn(user));
  render(
    <Provider store={store}>
      <MemoryRouter initialEntries={['/topup']}>
        <Form id={id} />
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

describe('what was typed into a form', () => {
  beforeEach(() => {
    sessionStorage.clear();
    load();
    type('note', 'a long reason');
    type('key', 'hunter2');
  });

  it('is there again after a reload, but for secrets', () => {
    tell('pagehide');
    expect(sessionStorage.getItem('draft')).not.toContain('hunter2');
    load();
    expect(valueOf('note')).toBe('a long reason');
    expect(valueOf('key')).toBe('');
    expect(screen.getByRole('status').textContent).toBe('true');
  });

  it('does not come back once more after it came back and was wiped', () => {
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
  ])('is left where it is not what this form keeps, as in another version: %s', (_, draft) => {
    sessionStorage.setItem('draft', JSON.stringify(draft));
    load();
    expect([valueOf('note'), screen.getByRole('status').textContent]).toEqual(['', 'false']);
    type('note', 'anew');
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('anew');
  });

  it('is not told to another person, nor in the form of another thing', () => {
    tell('pagehide');
    load({ id: 2 });
    expect(valueOf('note')).toBe('');
    load({ user: { ...ann, id: 3 } });
    expect(valueOf('note')).toBe('');
  });

  it('stays after an expired login, and goes when somebody else signs in', () => {
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

  it('goes when the person signs out', () => {
    tell('pagehide');
    const store = createStore();
    store.dispatch(signedIn(ann));
    expect(sessionStorage.getItem('draft')).toContain('a long reason');
    store.dispatch(signedOut());
    expect(sessionStorage.getItem('draft')).toBeNull();
  });

  it('does not come back once the page it was left on was shown again as it was', () => {
    tell('pagehide', true);
    tell('pageshow', true);
    load();
    expect(valueOf('note')).toBe('');
  });

  it('goes with a form that somebody closes as soon as it is there again', () => {
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('a long reason');
    fireEvent.pointerDown(document.body);
    load();
    expect(valueOf('note')).toBe('');
  });

  it('is not forgotten with what was there before, when it is kept once more soon after', () => {
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

  it('goes with a form that is closed', () => {
    load();
    tell('pagehide');
    load();
    expect(valueOf('note')).toBe('');
  });
});
