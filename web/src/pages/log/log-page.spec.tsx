import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { REACHABLE_LOGS } from '@tollgate/contracts/api/log-limits';
import type { Replies } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { narrowWindow } from '../../testing/narrow-window.js';
import { admin, person, renderPage } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const row = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  user_id: 3,
  created_at: 1_795_000_000,
  type: 2,
  content: '',
  username: 'bob',
  token_name: 'ci',
  model_name: 'gpt-4o',
  quota: 1125,
  prompt_tokens: 1000,
  completion_tokens: 200,
  use_time: 2,
  is_stream: true,
  channel: 7,
  channel_name: 'main',
  token_id: 1,
  group: 'default',
  other: JSON.stringify({
    model_ratio: 1.25,
    completion_ratio: 4,
    group_ratio: 0.5,
    model_price: -1,
    frt: 800,
    request_id: 'req-1',
  }),
  ...change,
});
const page = (items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 10 });
const own = (rows: unknown[]): Replies => ({
  'GET /api/log/self/': page(rows),
  'GET /api/log/self/stat': success({ quota: 1125, rpm: 1, tpm: 1200 }),
});
const all = (rows: unknown[]): Replies => ({
  'GET /api/log/': page(rows),
  'GET /api/log/stat': success({ quota: 1125, rpm: 1, tpm: 1200 }),
  'GET /api/group/': success(['default']),
});

describe('usage log', () => {
  it('shows a user the own rows without channels and users', async () => {
    await renderPage('/log', { user: person, replies: own([row(1)]) });
    const table = await screen.findByRole('table', { name: zh.title });
    const heads = within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent);
    expect(heads).not.toContain(zh.column.channel);
    expect(heads).not.toContain(zh.column.user);
    expect(within(table).getByText('$0.002250')).toBeTruthy(); // 1125 / 500000
  });

  it('offers a user no filter by user or channel, and takes none from the address', async () => {
    const { network } = await renderPage('/log?username=ann&channel=7', { user: person, replies: own([row(1)]) });
    const table = await screen.findByRole('table', { name: zh.title });
    const query = network.of('GET', '/api/log/self/')[0]?.query;
    expect([query?.get('username') || null, query?.get('channel') || null]).toEqual([null, null]);
    fireEvent.click(within(table).getByRole('button', { expanded: false }));
    await within(table).findByRole('button', { name: zh.only.model_name.replace('{{value}}', 'gpt-4o') });
    expect(within(table).queryByRole('button', { name: zh.only.username.replace('{{value}}', 'bob') })).toBeNull();
    expect(within(table).queryByRole('button', { name: zh.only.channel.replace('{{value}}', '7') })).toBeNull();
  });

  it('shows a cost only for rows that have one', async () => {
    const rows = [row(1), row(2, { type: 1, quota: 0, model_name: '', content: 'redeemed', other: '' })];
    await renderPage('/log', { user: person, replies: own(rows) });
    const topUp = (await screen.findByText(zh.type[1], { selector: 'td *' })).closest('tr')!;
    expect(topUp.textContent).not.toContain('$');
    expect(topUp.previousElementSibling?.textContent).toContain('$0.002250');
    // The server's text and its tooltip are marked as Chinese, and the row shows the text once.
    const hints = [...topUp.querySelectorAll('[title="redeemed"]')].map((hint) => hint.getAttribute('lang'));
    expect(hints).toEqual(['zh-CN']);
  });

  it('shows the price of a drawing, whose row has no ratios', async () => {
    const other = JSON.stringify({ model_price: 0.1, group_ratio: 2, request_id: 'req-2' });
    await renderPage('/log', { user: person, replies: own([row(1, { model_name: 'mj_imagine', other })]) });
    expect(await screen.findByText(zh.short.call.replace('{{price}}', '0.1').replace('{{group}}', '2'))).toBeTruthy();
  });

  it('shows no label without a value on a phone', async () => {
    const widen = narrowWindow();
    try {
      const nothing = { type: 1, quota: 0, prompt_tokens: 0, completion_tokens: 0, model_name: '', other: '' };
      await renderPage('/log', { user: person, replies: own([row(1), row(2, { ...nothing, content: 'redeemed' })]) });
      const labelsOf = async (text: string) =>
        within((await screen.findByText(text)).closest('li')!)
          .getAllByRole('term')
          .map(({ textContent }) => textContent);
      expect(await labelsOf('gpt-4o')).toEqual([zh.column.time, zh.column.tokens, zh.column.cost]);
      expect(await labelsOf('redeemed')).toEqual([zh.column.time]);
    } finally {
      widen();
    }
  });

  it('shows no totals of one range under the name of another, and keeps them during a refresh', async () => {
    let pending = false;
    const { router } = await renderPage('/log', {
      user: person,
      replies: {
        ...own([row(1)]),
        'GET /api/log/self/stat': () =>
          pending ? new Promise(() => undefined) : success({ quota: 500_000, rpm: 1, tpm: 7 }),
      },
    });
    const totals = async () => (await screen.findByRole('group', { name: zh.totals.label })).textContent;
    await waitFor(async () => expect(await totals()).toContain('$1.00'));
    pending = true;
    fireEvent.click(screen.getByRole('button', { name: shell.action.refresh }));
    expect(await totals()).toContain('$1.00');
    await act(() => router.navigate('/log?range=7d'));
    expect(await totals()).not.toContain('$1.00');
  });

  it('requests rows and totals with the same filters', async () => {
    const { network } = await renderPage('/log?model_name=gpt-4o&type=2&channel=7&range=7d', {
      user: admin,
      replies: all([row(1)]),
    });
    await screen.findByRole('table', { name: zh.title });
    await waitFor(() => expect(network.of('GET', '/api/log/stat')).toHaveLength(1));
    const [list, stat] = ['/api/log/', '/api/log/stat'].map((path) => network.of('GET', path)[0]?.query);
    for (const name of ['model_name', 'type', 'channel', 'start_timestamp', 'end_timestamp'])
      expect(stat?.get(name)).toBe(list?.get(name));
    expect(Number(list?.get('end_timestamp')) - Number(list?.get('start_timestamp'))).toBe(7 * 86_400 + 3600);
  });

  it('shows the formula with its numbers in an expanded row, and filters by its model', async () => {
    const { router } = await renderPage('/log', { user: admin, replies: all([row(1)]) });
    const table = await screen.findByRole('table', { name: zh.title });
    fireEvent.click(within(table).getByRole('button', { expanded: false }));
    // (1000 + 200 × 4) × 1.25 × 0.5 = 1125
    await waitFor(() => expect(table.textContent).toContain('= 1,125'));
    expect(table.textContent).toContain(zh.bill.same);
    expect(table.textContent).toContain('req-1');
    fireEvent.click(within(table).getByRole('button', { name: zh.only.model_name.replace('{{value}}', 'gpt-4o') }));
    await waitFor(() => expect(router.state.location.search).toBe('?model_name=gpt-4o'));
  });

  it('shows status and reason of a failed request, and the text of a row without a model', async () => {
    const failed = row(1, {
      type: 5,
      quota: 0,
      content: 'no channel left',
      other: JSON.stringify({ status_code: 429, error_code: 'overloaded', group_ratio: 1, model_ratio: 1 }),
    });
    const gift = row(2, { type: 4, quota: 0, content: 'a gift', model_name: '', other: '' });
    await renderPage('/log', { user: admin, replies: all([failed, gift]) });
    const table = await screen.findByRole('table', { name: zh.title });
    const status = within(table).getByText(zh.errorType.replace('{{status}}', '429'));
    expect(status.getAttribute('title')).toBe('no channel left');
    expect(within(table).getByText('a gift')).toBeTruthy();
    fireEvent.click(within(table).getAllByRole('button', { expanded: false })[0] as HTMLElement);
    await waitFor(() => expect(table.textContent).toContain('429 · overloaded'));
    expect(table.textContent).toContain('no channel left');
  });

  it.each([
    ['its own words for the ratios of the row', '', false],
    ['the words of the server where they say more', ', more', true],
  ])('shows an English reader %s', async (_, more, isServers) => {
    const numbers: Record<string, string> = { ratio: '1.25', completion: '4.00', group: '0.50' };
    const content = zh.words.tokens.replace(/{{(\w+)}}/g, (_all, name: string) => numbers[name] ?? '') + more;
    await renderPage('/log', { user: admin, language: 'en', replies: all([row(1, { content })]) });
    const table = await screen.findByRole('table', { name: en.title });
    fireEvent.click(within(table).getByRole('button', { expanded: false }));
    await waitFor(() => expect(table.textContent).toContain('= 1,125'));
    expect(table.textContent?.includes(content)).toBe(isServers);
    const own = 'Model ratio 1.25, completion ratio 4, group ratio 0.5';
    expect(table.textContent?.includes(own)).toBe(!isServers);
  });

  it('searches all times for a request id', async () => {
    const { network } = await renderPage('/log?request_id=req-1', { user: admin, replies: all([row(1)]) });
    await screen.findByRole('table', { name: zh.title });
    const query = network.of('GET', '/api/log/')[0]?.query;
    expect(query?.get('request_id')).toBe('req-1');
    expect(query?.has('start_timestamp')).toBe(false);
  });

  it.each([
    ['of fixed times', 'range=custom&start_timestamp=1795000000&end_timestamp=1795100000'],
    ['of one request', 'request_id=req-1'],
    ['of today', ''],
  ])('fetches rows and totals %s again, once each per refresh', async (_, search) => {
    const { network } = await renderPage(`/log?${search}`, { user: admin, replies: all([row(1)]) });
    await screen.findByRole('table', { name: zh.title });
    const asked = () => ['/api/log/', '/api/log/stat'].map((path) => network.of('GET', path).length);
    await waitFor(() => expect(asked()).toEqual([1, 1]));
    fireEvent.click(screen.getByRole('button', { name: shell.action.refresh }));
    await waitFor(() => expect(asked()).toEqual([2, 2]));
    fireEvent.click(screen.getByRole('button', { name: shell.action.search }));
    await waitFor(() => expect(asked()).toEqual([3, 3]));
  });

  it('shows an administrator who made the request', async () => {
    await renderPage('/log', {
      user: admin,
      replies: {
        ...all([row(1)]),
        'GET /api/user/3': success({ id: 3, username: 'bob', quota: 500_000, used_quota: 0, request_count: 1042 }),
      },
    });
    fireEvent.click(await screen.findByRole('button', { name: 'bob' }));
    const dialog = await screen.findByRole('dialog', { name: zh.user.title });
    expect(await within(dialog).findByText('1,042')).toBeTruthy();
  });

  it('refuses an invalid time and an end before its start', async () => {
    const { network } = await renderPage('/log?range=custom&start_timestamp=1795000000', {
      user: person,
      replies: own([]),
    });
    const end = await screen.findByLabelText<HTMLInputElement>(zh.filter.end);
    fireEvent.change(end, { target: { value: 'soon' } });
    fireEvent.blur(end);
    const asked = network.of('GET', '/api/log/self/').length;
    expect(end.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(end, { target: { value: '2020-01-01 00:00:00' } });
    fireEvent.blur(end);
    expect(end.getAttribute('aria-invalid')).toBe('true');
    expect(network.of('GET', '/api/log/self/')).toHaveLength(asked);
  });

  it.each([
    ['exact', { total: 20_000 }, shell.table.range, '20,000'],
    ['an estimate', { total: 20_000, total_is_estimate: true }, shell.table.rangeAbout, '20,000'],
    ['that of a cut count', { total: REACHABLE_LOGS, total_is_estimate: true }, shell.table.rangeAtLeast, '1,000,000'],
  ])('says of a total that it is %s', async (_, counted, text, total) => {
    const list = success({ items: [row(1)], page: 1, page_size: 10, ...counted });
    await renderPage('/log', { user: person, replies: { ...own([]), 'GET /api/log/self/': list } });
    const said = text.replace(/\{\{(start|end), integer\}\}/g, '1').replace('{{total, integer}}', total);
    expect(await screen.findByText(said)).toBeTruthy();
  });

  it('says of a range with its own times that it has no rows', async () => {
    const address = '/log?range=custom&start_timestamp=1700000000&end_timestamp=1700003600';
    await renderPage(address, { user: person, replies: own([]) });
    expect(await screen.findByText(zh.empty.custom)).toBeTruthy();
  });

  it('offers a wider range when no row matches', async () => {
    const { router } = await renderPage('/log', { user: person, replies: own([]) });
    fireEvent.click(await screen.findByRole('button', { name: zh.empty.week }));
    await waitFor(() => expect(router.state.location.search).toBe('?range=7d'));
  });
});
