import { beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import { signedIn } from '../../app/slices/session.js';
import { createStore } from '../../app/store.js';
import { person } from '../../testing/render-page.js';
import { useSubmissionKey } from './use-submission-key.js';

function open(id = 'form') {
  const store = createStore();
  store.dispatch(signedIn(person));
  const wrapper = ({ children }: { children: ReactNode }) => (
    <Provider store={store}>
      <MemoryRouter>{children}</MemoryRouter>
    </Provider>
  );
  return renderHook(() => useSubmissionKey(id, ['password']), { wrapper });
}
const leave = (): void => {
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
  cleanup();
};

describe('useSubmissionKey', () => {
  beforeEach(() => sessionStorage.clear());

  it('stays while the same is sent again, and changes with what is sent', () => {
    const { result, rerender } = open();
    const first = result.current({ id: 1, delta: 5 });
    rerender();
    expect(result.current({ id: 1, delta: 5 })).toBe(first);
    expect(result.current({ id: 1, delta: 6 })).not.toBe(first);
  });

  it('is another one in another form', () => {
    const keys = ['one', 'two'].map((id) => open(id).result.current({ id: 1 }));
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('stays over a reload, and with it nothing that is secret', () => {
    const first = open().result.current({ id: 1, delta: 5 });
    leave();
    expect(open().result.current({ id: 1, delta: 5 })).toBe(first);
    open('two').result.current({ id: 1, password: 'hunter2' });
    leave();
    expect(sessionStorage.getItem('draft') ?? '').not.toContain('hunter2');
  });
});
