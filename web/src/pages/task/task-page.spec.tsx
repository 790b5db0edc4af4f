import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const task = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  created_at: 1_795_000_000,
  updated_at: 1_795_000_000,
  channel_id: 7,
  user_id: 3,
  action: 'MUSIC',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  quota: 50_000,
  refunded: false,
  request_id: 'req',
  task_id: `suno-${id}`,
  platform: 'suno',
  submit_time: 1_795_000_000,
  start_time: 1_795_000_005,
  finish_time: 1_795_000_065,
  properties: { input: 'la' },
  data: [{ audio_url: 'https://cdn.example.com/a.mp3' }],
  ...change,
});

describe('the task log', () => {
  it('shows a user their own songs with the actual duration', async () => {
    await renderPage('/task', { user: person, replies: { 'GET /api/task/self': success([task(1)]) } });
    const table = await screen.findByRole('table', { name: zh.title });
    expect(within(table).queryByText(zh.column.channel)).toBeNull();
    expect(within(table).getByText(zh.type.MUSIC)).toBeTruthy();
    expect(within(table).getByText(zh.seconds.replace('{{n}}', '65'))).toBeTruthy();
  });

  it('says of a range with its own times that it has no tasks', async () => {
    const address = '/task?range=custom&start_timestamp=1700000000&end_timestamp=1700003600';
    await renderPage(address, { user: person, replies: { 'GET /api/task/self': success([]) } });
    const title = zh.empty.title.replace('{{range}}', shell.taskList.chosen);
    expect(await screen.findByText(title)).toBeTruthy();
  });

  it('requests all tasks of today without an end time, and filters by channel', async () => {
    const { network } = await renderPage('/task?channel=7', {
      user: admin,
      replies: { 'GET /api/task/': success([task(1)]) },
    });
    await screen.findByText('suno-1');
    const query = network.of('GET', '/api/task/')[0]?.query ?? new URLSearchParams();
    expect(query.get('channel_id')).toBe('7');
    expect(Number(query.get('start_timestamp'))).toBeGreaterThan(1_700_000_000);
  });

  it('shows the full record on a click', async () => {
    await renderPage('/task', { user: person, replies: { 'GET /api/task/self': success([task(1)]) } });
    fireEvent.click(await screen.findByRole('button', { name: 'suno-1' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByText(/audio_url/)).toBeTruthy();
  });

  it.each([
    ['', zh.status.SUBMITTING],
    ['QUEUED', zh.status.QUEUED],
    ['SOMETHING', zh.status.UNKNOWN],
    ['constructor', zh.status.UNKNOWN],
  ])('has a text for the status %j', async (status, word) => {
    const row = task(1, { status, progress: 'soon', finish_time: 0 });
    await renderPage('/task', { user: person, replies: { 'GET /api/task/self': success([row]) } });
    expect(await screen.findByText(word)).toBeTruthy();
    expect(screen.getByText('soon')).toBeTruthy();
    expect(screen.getByText('N/A')).toBeTruthy();
  });
});
