import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

describe('the filter of the journal by a number', () => {
  const open = async () => {
    const { network, router } = await renderPage('/journal', {
      user: admin,
      replies: { 'GET /api/journal': success({ items: [], total: 0, page: 1, page_size: 10 }) },
    });
    const field = await screen.findByLabelText(zh.user);
    const write = (value: string) => {
      fireEvent.change(field, { target: { value } });
      fireEvent.blur(field);
    };
    const asked = () => network.of('GET', '/api/journal').map(({ query }) => query.get('user_id') ?? '');
    return { router, write, asked };
  };

  it('accepts the largest possible id', async () => {
    const { write, asked } = await open();
    write('2147483647');
    await waitFor(() => expect(asked()).toContain('2147483647'));
  });

  it('explains an invalid id, and does not show all rows instead', async () => {
    const { router, write, asked } = await open();
    await waitFor(() => expect(asked()).toHaveLength(1));
    write('21474836470');
    expect(await screen.findByText(shell.form.digits)).toBeTruthy();
    await act(async () => undefined);
    expect(router.state.location.search).toBe('');
    expect(asked()).toHaveLength(1);
  });
});
