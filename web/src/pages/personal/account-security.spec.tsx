import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { person, renderPage, root } from '../../testing/render-page.js';
import { button, openPersonal, replies, self, type } from '../../testing/open-personal.js';
import { texts as zh } from './zh.js';

describe('personal page', () => {
  it('requires no current password when the account has none', async () => {
    const { network } = await openPersonal({
      'GET /api/user/self': self({ original_needed: false }),
      'PUT /api/user/self': success(),
    });
    fireEvent.click(await button(zh.security.setPassword));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.queryByLabelText(zh.security.original)).toBeNull();
    type(dialog.getByLabelText(zh.security.new), 'new password');
    type(dialog.getByLabelText(zh.security.confirm), 'new password');
    fireEvent.click(dialog.getByRole('button', { name: zh.security.setPassword }));
    await screen.findByText(zh.security.changed);
    expect(network.of('PUT', '/api/user/self').map(({ body }) => body)).toEqual([{ password: 'new password' }]);
  });

  it('asks for a code when the account has a second factor but no password', async () => {
    const { network } = await openPersonal({
      'GET /api/user/self': self({ original_needed: false }),
      'PUT /api/user/self': ({ body }: { body?: unknown }) =>
        (body as { code?: string }).code ? success() : refusal('a code, please', 'code-needed'),
    });
    fireEvent.click(await button(zh.security.setPassword));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.queryByLabelText(zh.factors.code)).toBeNull();
    type(dialog.getByLabelText(zh.security.new), 'new password');
    type(dialog.getByLabelText(zh.security.confirm), 'new password');
    fireEvent.click(dialog.getByRole('button', { name: zh.security.setPassword }));
    type(await dialog.findByLabelText(zh.factors.code), '123456');
    fireEvent.click(dialog.getByRole('button', { name: zh.security.setPassword }));
    await screen.findByText(zh.security.changed);
    expect(network.of('PUT', '/api/user/self').map(({ body }) => body)).toEqual([
      { password: 'new password' },
      { code: '123456', password: 'new password' },
    ]);
  });

  it('marks the current password, too, where nothing is typed', async () => {
    const { network } = await openPersonal({});
    fireEvent.click(await button(zh.security.password));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('button', { name: zh.security.password }));
    const original = dialog.getByLabelText(zh.security.original);
    await waitFor(() => expect(original.getAttribute('aria-invalid')).toBe('true'));
    expect(network.of('PUT', '/api/user/self')).toHaveLength(0);
  });

  it('sends the current password with the new one, and keeps the form when it is refused', async () => {
    const { network } = await openPersonal({ 'PUT /api/user/self': refusal('wrong one', 'original-password-wrong') });
    fireEvent.click(await button(zh.security.password));
    const dialog = within(await screen.findByRole('dialog'));
    type(dialog.getByLabelText(zh.security.original), 'old password');
    type(dialog.getByLabelText(zh.security.new), 'new password');
    type(dialog.getByLabelText(zh.security.confirm), 'another one');
    fireEvent.click(dialog.getByRole('button', { name: zh.security.password }));
    expect(await dialog.findByText(zh.security.mismatch)).toBeTruthy();
    expect(network.of('PUT', '/api/user/self')).toHaveLength(0);
    type(dialog.getByLabelText(zh.security.confirm), 'new password');
    fireEvent.click(dialog.getByRole('button', { name: zh.security.password }));
    expect(await dialog.findByText('wrong one')).toBeTruthy();
    expect(network.of('PUT', '/api/user/self').map(({ body }) => body)).toEqual([
      { original_password: 'old password', password: 'new password' },
    ]);
  });

  it('confirms before it replaces the access token, shows it once and stores it nowhere', async () => {
    const { network, store } = await openPersonal({ 'GET /api/user/token': success('once-only-token') });
    fireEvent.click(await button(zh.security.token));
    const question = within(await screen.findByRole('alertdialog'));
    const go = question.getByRole('button', { name: zh.security.token });
    expect(go.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(go);
    expect(network.of('GET', '/api/user/token')).toHaveLength(0);
    type(question.getByRole('textbox'), person.username);
    fireEvent.click(go);
    expect(await screen.findByText('once-only-token')).toBeTruthy();
    expect(JSON.stringify(store.getState())).not.toContain('once-only-token');
    fireEvent.click(await button(zh.security.kept));
    await waitFor(() => expect(screen.queryByText('once-only-token')).toBeNull());
  });

  it('deletes the account only after its name was typed, and signs out', async () => {
    const { router, store, network } = await openPersonal({ 'DELETE /api/user/self': success() });
    fireEvent.click(await button(zh.danger.title));
    const question = within(await screen.findByRole('alertdialog'));
    const go = question.getByRole('button', { name: zh.danger.title });
    type(question.getByRole('textbox'), 'somebody');
    expect(go.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(go);
    expect(network.of('DELETE', '/api/user/self')).toHaveLength(0);
    type(question.getByRole('textbox'), person.username);
    fireEvent.click(go);
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(store.getState().session.user).toBeNull();
  });

  it('erases the personal data after the name and the password were typed', async () => {
    const answers = [refusal('again', 'password-needed'), success()];
    const { network, router, store } = await openPersonal({ 'POST /api/user/self/erase': () => answers.shift() });
    fireEvent.click(await button(zh.danger.erase));
    const question = within(await screen.findByRole('alertdialog'));
    expect(question.getByText(zh.danger.eraseStays)).toBeTruthy();
    const go = question.getByRole('button', { name: zh.danger.erase });
    expect(go.getAttribute('aria-disabled')).toBe('true');
    type(question.getByRole('textbox'), person.username);
    fireEvent.click(go);
    const dialog = within(await screen.findByRole('dialog', { name: zh.danger.erase }));
    type(dialog.getByLabelText(zh.factors.password), 'my password');
    fireEvent.click(dialog.getByRole('button', { name: zh.factors.go }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(store.getState().session.user).toBeNull();
    expect(network.of('POST', '/api/user/self/erase').map(({ body }) => body)).toEqual([
      { username: person.username },
      { username: person.username, password: 'my password' },
    ]);
  });

  it('tells a super administrator why the account cannot be deleted', async () => {
    await renderPage('/personal', {
      user: root,
      replies: replies({ 'GET /api/user/self': self({ id: 1, role: 100, username: 'root' }) }),
    });
    expect(await screen.findByText(zh.danger.rootOnly)).toBeTruthy();
    fireEvent.click(await button(zh.danger.title));
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });
});
