import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { selectJobs } from '../../app/slices/jobs.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const channel = (id: number, status: number, test_time: number, more = {}) => ({
  ...{ id, type: 1, name: `channel-${id}`, status, openai_organization: null, base_url: '', other: '' },
  ...{ models: 'gpt-4o', group: 'default', model_mapping: null, status_code_mapping: null, param_override: null },
  ...{ setting: null, auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1, test_time },
  ...{ response_time: 400, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
  ...more,
});

interface World {
  refused?: () => boolean;
  /** Seconds by which the clock of the server is ahead of the browser's. */
  ahead?: number;
  /** Whether a success enables a channel that was switched off automatically. */
  enables?: boolean;
}

async function testAll({ refused = () => false, ahead = 0, enables = false }: World = {}) {
  let tested = 0;
  const { store, network } = await renderPage('/channel', {
    user: admin,
    replies: {
      'GET /api/channel/search': () =>
        refused()
          ? refusal('busy', 'internal')
          : json(
              success([
                channel(1, 1, tested, { test_ok: true }),
                channel(2, tested ? 3 : 1, tested, { test_ok: false }),
                channel(3, 2, 0),
                channel(4, 1, tested, { test_ok: false }),
                // A drawing proxy, which the server does not test.
                channel(5, 1, 0, { type: 2 }),
                // Switched off automatically; tested only where a success enables it.
                channel(6, tested && enables ? 1 : 3, enables ? tested : 0, { test_ok: true }),
              ]),
              200,
              { 'X-Total-Count': '6' },
            ),
      'GET /api/channel/count': success({ all: 6, enabled: 4, disabled: 1, auto_disabled: 1 }),
      'GET /api/group/': success(['default']),
      'GET /api/channel/models': success([]),
      'GET /api/option/': success([{ key: 'AutomaticEnableChannelEnabled', value: String(enables) }]),
      // The second channel fails as soon as it is tested.
      'GET /api/channel/test': () => {
        tested = Math.floor(Date.now() / 1000) + 1 + ahead;
        return success();
      },
    },
  });
  await screen.findByText('channel-1');
  return { store, network };
}

async function press() {
  fireEvent.click(screen.getByRole('button', { name: zh.all.testAll.action }));
  const dialog = within(await screen.findByRole('alertdialog', { name: zh.all.testAll.title }));
  fireEvent.click(dialog.getByRole('button', { name: zh.all.testAll.action }));
}

describe('a test of all channels', () => {
  it.each([
    ['as ours', 0],
    ['an hour behind', -3600],
  ])('reports one that fails at once too, by a clock of the server that is %s', async (_, ahead) => {
    const { store } = await testAll({ ahead });
    await press();
    await waitFor(() => expect(selectJobs(store.getState())[0]?.state).toBe('done'), { timeout: 20_000 });
    const [job] = selectJobs(store.getState());
    expect(job?.total).toBe(3);
    expect(job?.results.map(({ name, ok }) => [name, ok])).toEqual([
      ['#1 channel-1', true],
      ['#2 channel-2', false],
      ['#4 channel-4', false],
    ]);
  });

  it('reports a channel that it brings back, where channels are enabled automatically', async () => {
    const { store } = await testAll({ enables: true });
    await press();
    await waitFor(() => expect(selectJobs(store.getState())[0]?.state).toBe('done'), { timeout: 20_000 });
    const [job] = selectJobs(store.getState());
    expect(job?.total).toBe(4);
    expect(job?.results.at(-1)).toMatchObject({ name: '#6 channel-6', ok: true });
  });

  it('does not begin, and says why, when the channels cannot be loaded', async () => {
    let down = false;
    const { network } = await testAll({ refused: () => down });
    down = true;
    await press();
    expect(await screen.findByText(/busy/)).toBeTruthy();
    expect(network.of('GET', '/api/channel/test')).toEqual([]);
    expect(screen.getByRole('alertdialog', { name: zh.all.testAll.title })).toBeTruthy();
  });
});
