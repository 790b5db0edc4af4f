import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Approval } from '@tollgate/contracts/api/approval';
import { approvalPolling } from '../../api/approval.api.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { renderPage, root } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const NOTE = 'the same amount was asked for twice within one hour, see the first request and its invoice';
const refused: Approval = {
  ...{ id: 4, kind: 'adjustment', status: 'refused', user_id: 3, token_id: 0, change: 500, subject: 'bob' },
  ...{ reason: 'goodwill', requester_id: 2, created_time: 1_795_000_000, expire_time: 1_795_100_000 },
  ...{ decider_id: 1, decided_time: 1_795_000_500, note: NOTE },
};

const pending: Approval = { ...refused, id: 5, status: 'pending', note: '', decider_id: 0, decided_time: 0 };
const pageOf = (...items: Approval[]) => success({ items, total: items.length, page: 1, page_size: 10 });
const rowOf = (id: number) => screen.getByText(`#${id}`).closest('tr')!;

describe('approvals', () => {
  afterEach(() => void jest.useRealTimers());

  it('leave the focus in the row whose buttons are gone after the decision', async () => {
    let shown = pending;
    await renderPage('/approval', {
      user: root,
      replies: {
        'GET /api/approval': () => pageOf(shown, refused),
        'POST /api/approval/5/approve': () => success((shown = { ...pending, status: 'approved' })),
      },
    });
    const approve = await screen.findByRole('button', { name: zh.approve });
    act(() => approve.focus());
    fireEvent.click(approve);
    const question = within(await screen.findByRole('alertdialog'));
    fireEvent.click(question.getByRole('button', { name: zh.approve }));
    await waitFor(() => expect(approve.isConnected).toBe(false));
    await waitFor(() => expect(document.activeElement).toBe(rowOf(5)));
  });

  it('follow requests and decisions of others while the page is open', async () => {
    jest.useFakeTimers({ advanceTimers: true });
    let shown = [pending];
    await renderPage('/approval', { user: root, replies: { 'GET /api/approval': () => pageOf(...shown) } });
    await screen.findByRole('button', { name: zh.approve });
    const said = zh.arrivedCount.replace('{{count}}', '1');
    expect(screen.queryByText(said)).toBeNull();
    shown = [
      { ...pending, id: 6 },
      { ...pending, status: 'approved' },
    ];
    await act(() => jest.advanceTimersByTimeAsync(approvalPolling.pollingInterval));
    await screen.findByText('#6');
    expect(within(rowOf(5)).queryByRole('button', { name: zh.approve })).toBeNull();
    const isMarked = (id: number) => within(rowOf(id)).queryByRole('img', { name: zh.arrived }) !== null;
    expect([6, 5].map(isMarked)).toEqual([true, false]);
    expect(screen.getByText(said).getAttribute('role')).toBe('status');
  });

  it.each([
    ['another filter', '/approval', '/approval?status=pending'],
    ['another page', '/approval?p=2', '/approval?p=3'],
  ])('mark no request that the list shows for %s', async (_, address, next) => {
    const reply = ({ query }: Call) =>
      success({ items: [query.get('p') === '3' || query.get('status') ? { ...pending, id: 9 } : refused], total: 30 });
    const { router } = await renderPage(address, { user: root, replies: { 'GET /api/approval': reply } });
    await screen.findByText('#4');
    await act(() => router.navigate(next));
    await screen.findByText('#9');
    expect(screen.queryByRole('img', { name: zh.arrived })).toBeNull();
  });

  it('show the full reason and note of a request in the expanded row', async () => {
    await renderPage('/approval', {
      user: root,
      replies: { 'GET /api/approval': success({ items: [refused], total: 1, page: 1, page_size: 10 }) },
    });
    const table = await screen.findByRole('table', { name: zh.title });
    expect(within(table).getByRole('button', { name: shell.action.expand })).toBeTruthy();
    const row = within(table).getByText('#4').closest('tr')!;
    act(() => row.focus());
    fireEvent.keyDown(row, { key: 'Enter' });
    const detail = within(table).getAllByRole('definition');
    expect(detail.map(({ textContent }) => textContent)).toEqual(expect.arrayContaining(['bob', 'goodwill', NOTE]));
  });
});
