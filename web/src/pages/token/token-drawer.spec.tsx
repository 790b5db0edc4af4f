import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Call } from '../../testing/fake-fetch.js';
import { json, listed, refusal, success } from '../../testing/fake-fetch.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { signedIn } from '../../app/slices/session.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';
import { catalogue, token } from '../../testing/token-replies.js';

describe('the form of a token', () => {
  it('keeps typed values when the login expires', async () => {
    const expired = json({ success: false, message: 'Expired', code: 'not-signed-in', kind: 'unauthenticated' }, 401);
    let ended = false;
    const nameField = () => screen.findByLabelText<HTMLInputElement>(zh.form.name);
    const { router, store } = await renderPage('/token/add', {
      user: person,
      replies: {
        ...{ ...catalogue, 'GET /api/token/': listed([]), 'POST /api/token/': expired },
        'GET /api/user/self': () => (ended ? expired : success(selfOf(person))),
      },
    });
    fireEvent.change(await nameField(), { target: { value: 'typed before' } });
    ended = true;
    fireEvent.click(screen.getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(person)));
    await act(() => router.navigate('/token/add'));
    await waitFor(async () => expect((await nameField()).value).toBe('typed before'));
  });

  it('shows no fields of one token at the address of another', async () => {
    const { router } = await renderPage('/token/edit/1', {
      user: person,
      replies: {
        ...catalogue,
        'GET /api/token/': listed([token(1), token(2)]),
        'GET /api/token/1': success(token(1)),
        'GET /api/token/2': refusal('failed', 'token-not-found'),
      },
    });
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('token-1'));
    await act(() => router.navigate('/token/edit/2'));
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByRole('button', { name: shell.action.retry });
    expect(drawer.queryByLabelText(zh.form.name)).toBeNull();
  });

  it.each(['link', 'button'] as const)(
    'is one entry again when a form is closed that a %s of it opened',
    async (role) => {
      const { router } = await renderPage('/about', {
        user: person,
        replies: {
          ...catalogue,
          'GET /api/about': success(''),
          'GET /api/token/': listed([token(1)]),
          'GET /api/token/1': success(token(1)),
        },
      });
      await act(() => router.navigate('/token'));
      const row = within(await screen.findByRole('row', { name: /token-1/ }));
      fireEvent.click(row.getByRole(role, { name: role === 'link' ? 'token-1' : shell.action.edit }));
      const drawer = within(await screen.findByRole('dialog'));
      expect(router.state.location.pathname).toBe('/token/edit/1');
      fireEvent.click(drawer.getByRole('button', { name: shell.action.cancel }));
      await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
      await act(() => router.navigate(-1));
      expect(router.state.location.pathname).toBe('/about');
    },
  );

  it('creates a token from the drawer with the defaults of the spec', async () => {
    const { network, router } = await renderPage('/token/add', {
      user: person,
      replies: { ...catalogue, 'GET /api/token/': listed([]), 'POST /api/token/': success() },
    });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLSelectElement>(zh.form.group).value).toBe('default'));
    // The name of the button says what it does, so it has no state beside it.
    expect(within(drawer).getByRole('button', { name: zh.form.limit }).hasAttribute('aria-pressed')).toBe(false);
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    expect(network.of('POST', '/api/token/')[0]?.body).toMatchObject({
      name: zh.form.defaultName,
      expired_time: -1,
      remain_quota: 500_000,
      unlimited_quota: true,
      group: 'default',
    });
    expect(await screen.findByText(zh.panel.title)).toBeTruthy();
  });

  it('keeps typed values when the server refuses', async () => {
    await renderPage('/token/add', {
      user: person,
      replies: { ...catalogue, 'GET /api/token/': listed([]), 'POST /api/token/': refusal('Too many', 'too-many') },
    });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    const name = within(drawer).getByLabelText<HTMLInputElement>(zh.form.name);
    fireEvent.change(name, { target: { value: 'mine' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findByText('Too many')).toBeTruthy();
    expect(name.value).toBe('mine');
  });

  it('shows no former refusal while several are created', async () => {
    const { network } = await renderPage('/token/add', {
      user: person,
      replies: {
        ...catalogue,
        'GET /api/token/': listed([]),
        'POST /api/token/': ({ body }: Call) =>
          (body as { name: string }).name === 'mine' ? refusal('Too many', 'too-many') : new Promise(() => undefined),
      },
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    fireEvent.change(drawer.getByLabelText(zh.form.name), { target: { value: 'mine' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    expect(await drawer.findByText('Too many')).toBeTruthy();
    fireEvent.change(drawer.getByLabelText(zh.form.name), { target: { value: 'other' } });
    fireEvent.change(drawer.getByLabelText(zh.form.count), { target: { value: '2' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(network.of('POST', '/api/token/')).toHaveLength(2));
    expect(drawer.queryByText('Too many')).toBeNull();
  });

  it('sends only changed fields, and nothing when none changed', async () => {
    const stored = token(5, { unlimited_quota: true });
    const { network, router } = await renderPage('/token/edit/5', {
      user: person,
      language: 'en',
      replies: {
        ...catalogue,
        'GET /api/token/': listed([stored]),
        'GET /api/token/5': success(stored),
        'PUT /api/token/': success(stored),
      },
    });
    const drawer = await screen.findByRole('dialog', { name: new RegExp('token-5') });
    const submit = await within(drawer).findByRole('button', { name: 'Submit' });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(en.form.name).value).toBe('token-5'));
    fireEvent.click(submit);
    expect(await screen.findByText('Nothing was changed')).toBeTruthy();
    fireEvent.change(within(drawer).getByLabelText(en.form.name), { target: { value: 'renamed' } });
    fireEvent.click(submit);
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    expect(network.of('PUT', '/api/token/').map(({ body }) => body)).toEqual([
      { id: 5, name: 'renamed', expected: { name: 'token-5' } },
    ]);
  });
});
