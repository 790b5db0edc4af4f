import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const totals = {
  ...{ postings: 9, turnover: 9, requests: 9, consumed: 9, returned: 0, corrected: 0, paid: 0, refunded: 0 },
  ...{ redeemed: 0, granted: 0, adjusted: 0, late: 0, net: -9, cost: null, margin: null, costed: 0, costed_sales: 0 },
};
const replies = {
  'GET /api/statement': success({
    ...{ items: [{ ...totals, period: '2026-01-01', key: '' }], total: 1, page: 1, page_size: 10 },
    ...{ totals, opening: 0, closing: -9 },
  }),
  'GET /api/period': success({ items: [], total: 0, page: 1, page_size: 10 }),
};

describe('the statement of all users', () => {
  it('has its tabs below its heading, and a labelled dash for an unknown cost', async () => {
    await renderPage('/statement?start=2026-01-01&end=2026-01-31', { user: admin, replies });
    const row = within((await screen.findByText('2026-01-01', { selector: 'th' })).closest('tr')!);
    expect(row.getAllByRole('img', { name: shell.state.unknown })).toHaveLength(2);
    const heading = screen.getByRole('heading', { level: 1, name: zh.title });
    const tabs = screen.getByRole('tablist', { name: zh.title });
    expect(heading.compareDocumentPosition(tabs) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const cost = screen.getByText(zh.column.cost, { selector: 'p' }).parentElement!;
    expect(within(cost).getByRole('img', { name: shell.state.unknown })).toBeTruthy();
  });
});

describe('the cost of some of the requests', () => {
  it('says for how many of them beside the amount, in the few words that its column has room for', async () => {
    const sums = { ...totals, requests: 1231, cost: 600, margin: 400, costed: 6, costed_sales: 1000 };
    await renderPage('/statement?start=2026-01-01&end=2026-01-31', {
      user: admin,
      language: 'en',
      replies: {
        ...replies,
        'GET /api/statement': success({
          ...{ items: [{ ...sums, period: '2026-01-01', key: '' }], total: 1, page: 1, page_size: 10 },
          ...{ totals: sums, opening: 0, closing: -9 },
        }),
      },
    });
    const row = within((await screen.findByText('2026-01-01', { selector: 'th' })).closest('tr')!);
    const tags = row.getAllByTitle('6 of 1,231 requests');
    expect(tags.map(({ textContent }) => textContent)).toEqual(['6 of 1,231', '6 of 1,231']);
  });
});

describe('a changed filter of a statement', () => {
  const never = new Promise<never>(() => undefined);
  const tile = () => screen.queryByText(zh.opening, { selector: 'p' });
  const open = (pending: (call: Call) => boolean) =>
    renderPage('/statement?start=2026-01-01&end=2026-01-31', {
      user: admin,
      replies: {
        ...replies,
        'GET /api/statement': (call: Call) => (pending(call) ? never : replies['GET /api/statement']),
      },
    });

  it('shows no sums of the former filter for its own days', async () => {
    const { router } = await open(({ query }) => query.get('start') === '2026-02-01');
    await waitFor(() => expect(tile()).toBeTruthy());
    await act(() => router.navigate('/statement?start=2026-02-01&end=2026-02-28'));
    expect(tile()).toBeNull();
  });

  it('shows no groups of the former filter below the heading of models', async () => {
    const { router } = await open(({ query }) => query.get('by') === 'model');
    await screen.findByText('2026-01-01', { selector: 'th' });
    await act(() => router.navigate('/statement?start=2026-01-01&end=2026-01-31&by=model'));
    expect(screen.queryByText('2026-01-01', { selector: 'th' })).toBeNull();
  });

  it('keeps room for its chart until the data has arrived', async () => {
    const { StatementChart } = await import('./statement-chart.js');
    expect(StatementChart).toBeTruthy();
    await open(({ query }) => query.get('page_size') === '100');
    await screen.findByText('2026-01-01', { selector: 'th' });
    // The page has the code of the chart, too.
    await act(async () => void (await import('./statement-chart.js')));
    expect(document.querySelector('[data-waiting="chart"]')).toBeTruthy();
  });

  it('is exported into one file at a time', async () => {
    const { network } = await renderPage('/statement', {
      user: admin,
      replies: { ...replies, 'GET /api/statement/export': () => never },
    });
    const button = await screen.findByRole('button', { name: shell.posting.export });
    fireEvent.click(button);
    fireEvent.click(button);
    const files = () => network.of('GET', '/api/statement/export');
    await waitFor(() => expect(files()).not.toEqual([]));
    await act(async () => undefined);
    expect(files()).toHaveLength(1);
  });

  it('keeps the sums while another page is loaded', async () => {
    const { router } = await open(({ query }) => query.get('p') === '2');
    await waitFor(() => expect(tile()).toBeTruthy());
    await act(() => router.navigate('/statement?start=2026-01-01&end=2026-01-31&p=2'));
    expect(tile()).toBeTruthy();
  });
});

describe('closed periods', () => {
  const digest = '10c0883430731e1f80795ae5890902d00836b3ca0ac93a4db3d93e454835690d';
  const signature = '4f44b0a028604'.padEnd(128, 'e');
  const seal = { time: 1_795_739_251, postings: 81, digest, totals: {}, text: '{}', signature };
  const period = { closed_time: 1_795_739_251, actor_id: 1, note: 'with the provider', seal };
  const items = [
    { ...period, id: 2, first_day: '2026-11-26', last_day: '2026-11-26' },
    { ...period, id: 1, first_day: '', last_day: '2026-11-25', seal: { ...seal, signature: '' } },
  ];
  const closed = { ...replies, 'GET /api/period': success({ items, total: 2, page: 1, page_size: 10 }) };

  it('name a single day once, and show the full digest and signature to copy on request', async () => {
    await renderPage('/statement', { user: admin, replies: closed });
    const day = await screen.findByText('2026-11-26', { selector: 'th > span' });
    const row = within(day.closest('tr')!);
    fireEvent.click(row.getByRole('button', { name: shell.action.expand }));
    const detail = within(day.closest('tr')!.nextElementSibling as HTMLElement);
    expect(detail.getByText(digest).tagName).toBe('CODE');
    expect(detail.getByText(signature)).toBeTruthy();
    expect(detail.getAllByRole('button', { name: shell.action.copy })).toHaveLength(2);
    expect(detail.getByText('with the provider')).toBeTruthy();
  });

  it('show which are not signed yet', async () => {
    await renderPage('/statement', { user: admin, replies: closed });
    const last = await screen.findByText('2026-11-25', { selector: 'th > span' });
    expect(within(last.closest('tr')!).getByText(zh.periods.unsigned)).toBeTruthy();
  });
});
