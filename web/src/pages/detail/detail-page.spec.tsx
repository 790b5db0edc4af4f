import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage } from '../../testing/render-page.js';
import { formatTime } from '../../components/basics/time-format.js';
import { texts as zh } from './zh.js';

const status = { enable_data_export: true, data_export_default_time: 'day' as const };
const hour = Math.floor(Date.now() / 3_600_000) * 3600;
const rows = [
  {
    id: 0,
    user_id: 0,
    username: '',
    model_name: 'gpt-4o',
    created_at: hour,
    token_used: 3000,
    count: 2,
    quota: 500_000,
  },
  {
    id: 0,
    user_id: 0,
    username: '',
    model_name: 'o3',
    created_at: hour - 86_400,
    token_used: 1000,
    count: 1,
    quota: 250_000,
  },
];
const figure = (label: string) => within(screen.getByTitle(label).parentElement as HTMLElement);

describe('dashboard', () => {
  afterEach(() => void jest.useRealTimers());

  it('polls at the configured interval, and not more often', async () => {
    jest.useFakeTimers({ advanceTimers: true });
    const { network } = await renderPage('/detail', {
      user: person,
      status: { ...status, data_export_interval: 3 },
      replies: { 'GET /api/data/self/': success(rows) },
    });
    await screen.findByRole('tab', { name: zh.spend.tab });
    const asked = () => network.of('GET', '/api/data/self/').length;
    const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
    expect(asked()).toBe(1);
    await pass(170_000);
    expect(asked()).toBe(1);
    await pass(10_000);
    expect(asked()).toBe(2);
    await pass(180_000);
    expect(asked()).toBe(3);
  });

  it('draws a call of an hour that has begun since the page was opened', async () => {
    jest.useFakeTimers({ advanceTimers: true, now: (hour + 3500) * 1000 });
    const late = { ...rows[0], model_name: 'late', created_at: hour + 3600 };
    let sent = rows;
    await renderPage('/detail', {
      user: person,
      status: { ...status, data_export_default_time: 'hour', data_export_interval: 3 },
      replies: { 'GET /api/data/self/': () => success(sent) },
    });
    fireEvent.click(await screen.findByRole('switch', { name: zh.asTable }));
    expect(screen.queryByRole('row', { name: /late/ })).toBeNull();
    sent = [...rows, late as (typeof rows)[number]];
    await act(() => jest.advanceTimersByTimeAsync(180_000));
    expect(await screen.findByRole('row', { name: /late/ })).toBeTruthy();
  });

  it.each([
    { user: person, granularity: 'week', days: 32, problem: zh.filter.tooLong.replace('{{days}}', '31') },
    // The end that is sent for an empty one is an hour ahead.
    { user: person, granularity: 'week', days: 31, problem: zh.filter.tooLong.replace('{{days}}', '31') },
    { user: person, granularity: 'week', days: 30 },
    { user: admin, granularity: 'week', days: 90 },
    { user: admin, granularity: 'week', days: 367, problem: zh.filter.tooLong.replace('{{days}}', '366') },
    { user: admin, granularity: 'hour', days: 90, problem: zh.filter.tooManyHours.replace('{{days}}', '31') },
  ] as const)('accepts the ranges that the server serves this role (%#)', async (row) => {
    const replies = { 'GET /api/data/': success(rows), 'GET /api/data/self/': success(rows) };
    const set = { ...status, data_export_default_time: row.granularity };
    await renderPage('/detail', { user: row.user, status: set, replies });
    const start = await screen.findByLabelText(zh.filter.start);
    const from = formatTime(Math.floor(Date.now() / 1000) - row.days * 86_400);
    fireEvent.change(start, { target: { value: from } });
    const problem = 'problem' in row ? row.problem : undefined;
    expect(start.getAttribute('aria-invalid') === 'true').toBe(problem !== undefined);
    if (problem) expect(screen.getAllByText(problem).length).toBeGreaterThan(0);
  });

  it('asks for no range that its fields refuse', async () => {
    const { network } = await renderPage('/detail?start_timestamp=1600000000&end_timestamp=1795870000', {
      user: admin,
      status,
      replies: { 'GET /api/data/': success(rows) },
    });
    expect((await screen.findAllByText(zh.filter.tooLong.replace('{{days}}', '366'))).length).toBeGreaterThan(0);
    expect(network.of('GET', '/api/data/')).toEqual([]);
  });

  it('writes one file for a double click', async () => {
    const { createObjectURL, revokeObjectURL } = URL;
    const made = jest.fn(() => '#');
    Object.assign(URL, { createObjectURL: made, revokeObjectURL: () => undefined });
    await renderPage('/detail', { user: person, status, replies: { 'GET /api/data/self/': success(rows) } });
    const button = await screen.findByRole('button', { name: zh.csv });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(made).toHaveBeenCalledTimes(1);
    Object.assign(URL, { createObjectURL, revokeObjectURL });
  });

  it('requests seven days by day when that is the default, and sums up the reply', async () => {
    const { network } = await renderPage('/detail', {
      user: person,
      status,
      replies: { 'GET /api/data/self/': success(rows) },
    });
    await screen.findByRole('tab', { name: zh.spend.tab });
    const query = network.of('GET', '/api/data/self/')[0]?.query;
    expect(query?.get('default_time')).toBe('day');
    const span = Number(query?.get('end_timestamp')) - Number(query?.get('start_timestamp'));
    expect(span).toBe(7 * 86_400 + 3600);
    expect(figure(zh.figure.quota).getByText('$1.50')).toBeTruthy(); // 750000 / 500000
    expect(figure(zh.figure.calls).getByText('3')).toBeTruthy();
    expect(document.body.textContent).not.toContain('NaN');
  });

  it('shows no figures of one user under the name of another, and keeps them during a refresh', async () => {
    let pending = false;
    const { router } = await renderPage('/detail', {
      user: admin,
      status,
      replies: { 'GET /api/data/': () => (pending ? new Promise(() => undefined) : success(rows)) },
    });
    await screen.findByRole('tab', { name: zh.spend.tab });
    const spent = () => figure(zh.figure.quota).queryByText('$1.50');
    pending = true;
    fireEvent.click(screen.getByRole('button', { name: shell.action.refresh }));
    expect(spent()).toBeTruthy();
    await act(() => router.navigate('/detail?username=ann'));
    expect(spent()).toBeNull();
  });

  it('has the same numbers as a table', async () => {
    await renderPage('/detail', { user: person, status, replies: { 'GET /api/data/self/': success(rows) } });
    fireEvent.click(await screen.findByRole('switch', { name: zh.asTable }));
    const line = await screen.findByRole('row', { name: /gpt-4o/ });
    expect(line.textContent).toContain('66.7%'); // 500000 of 750000
  });

  it('groups the digits of the calls', async () => {
    const many = rows.map((one) => ({ ...one, count: 1200 }));
    await renderPage('/detail', { user: person, status, replies: { 'GET /api/data/self/': success(many) } });
    fireEvent.click(await screen.findByRole('tab', { name: zh.calls.tab }));
    expect(screen.getByRole('tabpanel').textContent).toContain(`${zh.total} 2,400 ·`);
    expect(await screen.findByRole('figure', { name: /2,400/ })).toBeTruthy();
  });

  it('fetches a range with fixed times again, once per refresh', async () => {
    const { network } = await renderPage(`/detail?start_timestamp=${hour - 86_400}&end_timestamp=${hour}`, {
      user: person,
      status,
      replies: { 'GET /api/data/self/': success(rows) },
    });
    await screen.findByRole('tab', { name: zh.spend.tab });
    const asked = () => network.of('GET', '/api/data/self/').length;
    for (const [name, times] of [
      [shell.action.refresh, 2],
      [shell.action.search, 3],
    ] as const) {
      fireEvent.click(screen.getByRole('button', { name }));
      await waitFor(() => expect(asked()).toBe(times));
    }
    expect(network.of('GET', '/api/data/self/')[0]?.query.has('askedAt')).toBe(false);
  });

  it('filters by user for administrators and warns about channels that are off', async () => {
    const { network } = await renderPage('/detail?username=bob', {
      user: admin,
      status,
      replies: {
        'GET /api/data/': success(rows),
        'GET /api/channel/count': success({ all: 9, enabled: 5, disabled: 0, auto_disabled: 4 }),
      },
    });
    await waitFor(() => expect(network.of('GET', '/api/data/')[0]?.query.get('username')).toBe('bob'));
    expect(await screen.findByText(zh.attention.off.replace('{{count}}', '4'))).toBeTruthy();
  });

  it('says what to do when there are no calls, and shows figures that are known', async () => {
    await renderPage('/detail', { user: person, status, replies: { 'GET /api/data/self/': success([]) } });
    expect(await screen.findByText(zh.empty.title)).toBeTruthy();
    expect(figure(zh.figure.quota).getByText('$0.00')).toBeTruthy();
  });

  it('shows no numbers when the load fails', async () => {
    await renderPage('/detail', {
      user: person,
      status,
      replies: { 'GET /api/data/self/': refusal('Too long', 'span-too-long') },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('Too long');
    expect(figure(zh.figure.calls).getByText('—')).toBeTruthy();
  });

  it('shows administrators until when the books balance, and the faults', async () => {
    const replies = (faults: number) => ({
      'GET /api/data/': success(rows),
      'GET /api/finance/books': success({
        balanced_up_to: hour,
        checked_at: hour + 120,
        faults,
        first: 'wallet:5, credit 7',
      }),
    });
    const { unmount } = await renderPage('/detail', { user: admin, status, replies: replies(0) });
    expect((await screen.findByText(/账目核对无误/)).textContent).toMatch(/\d{2}:\d{2}/);
    unmount();
    await renderPage('/detail', { user: admin, status, replies: replies(2) });
    expect((await screen.findByText('wallet:5, credit 7')).parentElement?.textContent).toContain('2');
  });
});
