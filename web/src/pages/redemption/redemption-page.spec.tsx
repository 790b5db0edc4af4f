import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const code = (id: number) => ({
  ...{ id, user_id: 2, key: `key-${id}`, status: 1, name: `code-${id}`, quota: 500_000 },
  ...{ created_time: 1_795_000_000, redeemed_time: 0, used_user_id: 0, expired_time: 0 },
});

describe('the drawer of a code', () => {
  it('shows no fields of one code at the address of another', async () => {
    const { router } = await renderPage('/redemption/edit/1', {
      user: admin,
      replies: {
        'GET /api/redemption/': success({ items: [code(1), code(2)], total: 2, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
        'GET /api/redemption/1': success(code(1)),
        'GET /api/redemption/2': refusal('failed', 'redemption-not-found'),
      },
    });
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('code-1'));
    await act(() => router.navigate('/redemption/edit/2'));
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByRole('button', { name: shell.action.retry });
    expect(drawer.queryByLabelText(zh.form.name)).toBeNull();
  });
});

describe('a drawer that was opened by its address', () => {
  it('leaves the focus at the heading of the page', async () => {
    await renderPage('/redemption/add', {
      user: admin,
      replies: {
        'GET /api/redemption/': success({ items: [], total: 0, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
      },
    });
    const drawer = within(await screen.findByRole('dialog'));
    fireEvent.click(drawer.getByRole('button', { name: shell.action.cancel }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })));
  });
});

describe('a batch of codes above the limit', () => {
  it('is not sent; the quota says what each code may be worth, until there are fewer codes', async () => {
    const { network } = await renderPage('/redemption/add', {
      user: admin,
      replies: {
        'GET /api/redemption/': success({ items: [], total: 0, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
      },
    });
    const drawer = within(await screen.findByRole('dialog'));
    const type = (label: string, value: string) =>
      fireEvent.change(drawer.getByLabelText(label), { target: { value } });
    type(zh.form.quota, '3000000000000');
    type(zh.form.count, '10');
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    const values = {
      '{{count}}': '10',
      '{{most, integer}}': '1,000,000,000,000',
      '{{total, integer}}': '10,000,000,000,000',
    };
    const reason = Object.entries(values).reduce(
      (text, [name, value]) => text.replace(name, value),
      zh.form.tooDear as string,
    );
    expect(await drawer.findByText(reason)).toBeTruthy();
    expect(document.activeElement).toBe(drawer.getByLabelText(zh.form.quota));
    type(zh.form.count, '3');
    await waitFor(() => expect(drawer.queryByText(reason)).toBeNull());
    expect(network.of('POST', '/api/redemption/')).toEqual([]);
  });
});

describe('the address of a code that is used', () => {
  it('leads to the list, which says that only unused ones can be edited', async () => {
    const used = { ...code(1), status: 3 };
    const { router } = await renderPage('/redemption/edit/1', {
      user: admin,
      replies: {
        'GET /api/redemption/': success({ items: [used], total: 1, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
        'GET /api/redemption/1': success(used),
      },
    });
    expect(await screen.findByText(zh.editHint)).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(router.state.location.pathname).toBe('/redemption');
  });
});

describe('the focus in the list of codes', () => {
  it('moves from a deleted row to the one in its place, and from the last one to the table', async () => {
    let rows = [1, 2, 3].map(code);
    const remove = (id: number) => () => {
      rows = rows.filter((row) => row.id !== id);
      return success();
    };
    await renderPage('/redemption', {
      user: admin,
      replies: {
        'GET /api/redemption/': () => success({ items: rows, total: rows.length, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
        ...Object.fromEntries([1, 2, 3].map((id) => [`DELETE /api/redemption/${id}/`, remove(id)])),
      },
    });
    const row = (id: number) => screen.findByRole('row', { name: new RegExp(`code-${id}`) });
    const deleteRow = async (id: number) => {
      const more = (await row(id)).querySelector('[aria-haspopup="menu"]') as HTMLElement;
      act(() => more.focus());
      fireEvent.click(more);
      fireEvent.click(await screen.findByRole('menuitem', { name: shell.action.delete }));
      const question = within(await screen.findByRole('alertdialog'));
      fireEvent.click(question.getByRole('button', { name: shell.action.delete }));
      await waitFor(() => expect(screen.queryByText(`code-${id}`)).toBeNull());
    };
    await deleteRow(2);
    const third = await row(3);
    await waitFor(() => expect(document.activeElement).toBe(third));
    await deleteRow(3);
    const first = await row(1);
    await waitFor(() => expect(document.activeElement).toBe(first));
    await deleteRow(1);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('group', { name: zh.title })));
  });
});
