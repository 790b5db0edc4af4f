import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { narrowWindow } from '../../testing/narrow-window.js';
import { texts as zh } from './zh.js';

const drawing = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  created_at: 1_795_000_000,
  channel_id: 7,
  user_id: 3,
  action: 'IMAGINE',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  quota: 50_000,
  refunded: false,
  request_id: 'req',
  code: 1,
  mj_id: `mj-${id}`,
  prompt: 'a cat on a mat',
  prompt_en: '',
  description: '',
  state: '',
  submit_time: 1_795_000_000_000,
  start_time: 0,
  finish_time: 1_795_000_090_000,
  image_url: '/mj/image/mj-1?sign=x',
  buttons: '',
  properties: '',
  ...change,
});

describe('the drawing log', () => {
  it('shows a user their own drawings with the result of the submission, without channels', async () => {
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success([drawing(1)]) } });
    const table = await screen.findByRole('table', { name: zh.title });
    expect(within(table).queryByText(zh.column.channel)).toBeNull();
    expect(within(table).getByText(zh.code.sent)).toBeTruthy();
    expect(within(table).getByText(zh.type.IMAGINE)).toBeTruthy();
    expect(within(table).getByText(zh.seconds.replace('{{n}}', '90.0'))).toBeTruthy();
  });

  it('shows an administrator all drawings, requests thirty days in milliseconds and filters by channel', async () => {
    const { network } = await renderPage('/midjourney?channel=7', {
      user: admin,
      replies: { 'GET /api/mj/': success([drawing(1)]) },
    });
    await screen.findByText('mj-1');
    expect(screen.getByText(zh.banner)).toBeTruthy();
    const query = network.of('GET', '/api/mj/')[0]?.query ?? new URLSearchParams();
    const { start_timestamp: start, end_timestamp: end, channel_id: channel } = Object.fromEntries(query);
    expect(channel).toBe('7');
    expect(Math.abs(Date.now() - 30 * 86_400_000 - Number(start))).toBeLessThan(60_000);
    // Without an end time the range keeps moving with the clock.
    expect(end).toBeUndefined();
  });

  it('draws the bar of a failed drawing in the colour of failures', async () => {
    const rows = [drawing(1, { progress: '60%' }), drawing(2, { status: 'FAILURE', progress: '40%' })];
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success(rows) } });
    const colors = async (row: string) =>
      [...(await screen.findByRole('row', { name: new RegExp(row) })).querySelectorAll('[role="progressbar"]')].map(
        (bar) => [...bar.classList].find((name) => /-color[A-Z]/.test(name)),
      );
    expect(await colors('mj-1')).toEqual(['MuiLinearProgress-colorPrimary']);
    expect(await colors('mj-2')).toEqual(['MuiLinearProgress-colorError']);
  });

  it('has its columns in the documented order', async () => {
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success([drawing(1)]) } });
    const table = await screen.findByRole('table', { name: zh.title });
    const heads = within(table).getAllByRole('columnheader');
    const { time, spent, type, id, code, status, progress, picture, prompt, promptEn, reason } = zh.column;
    const first = [time, spent, type, id, code, status, progress];
    expect(heads.slice(0, -1).map(({ textContent }) => textContent)).toEqual([
      ...first,
      ...[picture, prompt, promptEn, reason],
    ]);
  });

  it('opens a picture, and reports when it cannot be loaded', async () => {
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success([drawing(1)]) } });
    fireEvent.click(await screen.findByRole('button', { name: zh.picture.show }));
    const dialog = await screen.findByRole('dialog');
    fireEvent.error(within(dialog).getByRole('img'));
    await waitFor(() => expect(within(dialog).getByText(zh.picture.failed)).toBeTruthy());
  });

  it('has the action in the title of a card, and opens the picture without opening the card', async () => {
    const widen = narrowWindow();
    try {
      const rows = [drawing(1), drawing(2, { image_url: '' })];
      await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success(rows) } });
      const [first, second] = within(await screen.findByRole('list', { name: zh.title })).getAllByRole('listitem');
      expect(within(first!).getByText(zh.type.IMAGINE)).toBeTruthy();
      fireEvent.click(within(first!).getByRole('button', { name: zh.picture.view }));
      expect(within(await screen.findByRole('dialog')).getByRole('img')).toBeTruthy();
      expect(within(second!).queryByRole('button', { name: zh.picture.view })).toBeNull();
    } finally {
      widen();
    }
  });

  it('opens the full reason of a failure', async () => {
    const reason = `banned: ${'x'.repeat(300)}`;
    const row = drawing(1, { status: 'FAILURE', fail_reason: reason, image_url: '' });
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success([row]) } });
    fireEvent.click(await screen.findByRole('button', { name: reason }));
    expect(within(await screen.findByRole('dialog')).getByText(reason)).toBeTruthy();
    expect(screen.getByText(zh.picture.none)).toBeTruthy();
  });

  it.each([
    [{ refunded: true }, 1],
    [{ refunded: true, quota: 0 }, 0],
    [{ refunded: false }, 0],
  ])('shows the quota returned for a failure: %j', async (change, times) => {
    const row = drawing(1, { status: 'FAILURE', fail_reason: 'banned', image_url: '', ...change });
    await renderPage('/midjourney', { user: person, replies: { 'GET /api/mj/self/': success([row]) } });
    await screen.findByText('banned');
    expect(screen.queryAllByText(shell.taskList.refunded.replace('{{amount}}', '$0.10'))).toHaveLength(times);
  });

  it('says what to do when there are no drawings', async () => {
    await renderPage('/midjourney?range=today', { user: person, replies: { 'GET /api/mj/self/': success([]) } });
    fireEvent.click(await screen.findByRole('button', { name: shell.taskList.week }));
    expect(await screen.findByRole('button', { name: shell.taskList.token })).toBeTruthy();
  });
});
