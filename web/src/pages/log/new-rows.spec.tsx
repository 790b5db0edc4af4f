import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { liveHeard } from '../../app/slices/live.js';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { untilIdle } from '../../testing/until-idle.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const row = (id: number) => ({
  id,
  user_id: 3,
  created_at: 1_795_000_000,
  type: 4,
  content: `row ${id}`,
  username: 'bob',
  token_name: '',
  model_name: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: false,
  channel: 0,
  token_id: 0,
  group: '',
  other: '',
});

async function open({ address = '/log?type=4', isEstimate = false } = {}) {
  const rows = [row(1)];
  const view = await renderPage(address, {
    user: person,
    replies: {
      'GET /api/log/self/': ({ query }: Call) =>
        success({
          items: rows.slice(0, Number(query.get('page_size'))),
          total: isEstimate ? 20_000 - rows.length : rows.length,
          ...(isEstimate && { total_is_estimate: true }),
          page: 1,
          page_size: Number(query.get('page_size')),
        }),
      'GET /api/log/self/stat': success({ quota: 0, rpm: 0, tpm: 0 }),
    },
  });
  const table = await screen.findByRole('table', { name: zh.title });
  await within(table).findAllByText('row 1');
  const hear = (ahead = 1) =>
    act(async () => void view.store.dispatch(liveHeard({ kinds: ['usage'], at: Date.now() + ahead })));
  return { ...view, rows, table, hear, asked: () => view.network.of('GET', '/api/log/self/') };
}

describe('new rows of the usage log', () => {
  it('are counted with the filters of the page, and shown on request', async () => {
    const { rows, table, hear, asked } = await open();
    rows.unshift(row(3), row(2));
    await hear();
    const pill = await screen.findByRole('button', { name: zh.newRows.replace('{{count}}', '2') });
    expect(asked().at(-1)?.query.get('type')).toBe('4');
    // The shown page ends at the time of its request; new rows are later, so they are counted without an end time.
    expect(asked()[0]?.query.get('end_timestamp')).not.toBeNull();
    expect(asked().at(-1)?.query.get('end_timestamp')).toBeNull();
    expect(within(table).queryAllByText('row 3')).toEqual([]);
    fireEvent.click(pill);
    await within(table).findAllByText('row 3');
    await waitFor(() => expect(screen.queryByRole('button', { name: pill.textContent ?? '' })).toBeNull());
  });

  it('are announced without a number where totals are estimates, which may become smaller', async () => {
    const { store, rows, table, hear, asked } = await open({ isEstimate: true });
    await hear();
    await waitFor(() => expect(asked()).toHaveLength(2));
    await act(() => untilIdle(store));
    expect(document.querySelector('[data-news]')).toBeNull();
    rows.unshift(row(2));
    await hear(2);
    fireEvent.click(await screen.findByRole('button', { name: zh.newer }));
    await within(table).findAllByText('row 2');
    await waitFor(() => expect(document.querySelector('[data-news]')).toBeNull());
  });

  it('are announced behind the first page too, where totals are estimates', async () => {
    const { store, rows, hear, asked } = await open({ address: '/log?type=4&p=2', isEstimate: true });
    // The page does not have the newest row, so it is asked for.
    await waitFor(() => expect(asked()).toHaveLength(2));
    await hear();
    await waitFor(() => expect(asked()).toHaveLength(3));
    await act(() => untilIdle(store));
    expect(document.querySelector('[data-news]')).toBeNull();
    rows.unshift(row(2));
    await hear(2);
    await screen.findByRole('button', { name: zh.newer });
  });

  it('that arrived while the page was loading are announced too', async () => {
    const rows = [row(1)];
    const held: (() => void)[] = [];
    const page = ({ query }: Call) => {
      const size = Number(query.get('page_size'));
      const body = success({ items: rows.slice(0, size), total: rows.length, page: 1, page_size: size });
      return held.length > 0 || size === 1 ? body : new Promise((resolve) => held.push(() => resolve(body)));
    };
    const view = await renderPage('/log?type=4', {
      user: person,
      replies: { 'GET /api/log/self/': page, 'GET /api/log/self/stat': success({ quota: 0, rpm: 0, tpm: 0 }) },
    });
    await waitFor(() => expect(held).toHaveLength(1));
    rows.unshift(row(2));
    const at = Date.now() + 1;
    await act(async () => void view.store.dispatch(liveHeard({ kinds: ['usage'], at })));
    await waitFor(() => expect(Date.now()).toBeGreaterThan(at));
    await act(async () => held[0]?.());
    expect(await screen.findByRole('button', { name: zh.newRows.replace('{{count}}', '1') })).toBeTruthy();
  });

  it('are not computed from a count that is older than the shown rows', async () => {
    const { rows, hear, asked } = await open();
    rows.unshift(row(3), row(2));
    // The announcement carries a time of a clock ahead of the browser's.
    await hear(60_000);
    await screen.findByRole('button', { name: zh.newRows.replace('{{count}}', '2') });
    rows.splice(0, 2);
    fireEvent.click(screen.getByRole('button', { name: shell.action.refresh }));
    await waitFor(() => expect(asked()).toHaveLength(3));
    await waitFor(() => expect(document.querySelector('[data-news]')).toBeNull());
  });

  it('are not counted before the live stream announces any, and a count of none shows nothing', async () => {
    const { store, hear, asked } = await open();
    expect(asked()).toHaveLength(1);
    await hear();
    await waitFor(() => expect(asked()).toHaveLength(2));
    await act(() => untilIdle(store));
    expect(document.querySelector('[data-news]')).toBeNull();
  });
});
