import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../../app/i18n/zh.js';
import type { Replies } from '../../../testing/fake-fetch.js';
import { json, refusal, success } from '../../../testing/fake-fetch.js';
import { admin, renderPage } from '../../../testing/render-page.js';
import { choice, health } from './zh.js';

const HOUR = 1_794_996_000;
const channel = {
  ...{ id: 2, name: 'flaky', type: 1, status: 3, models: 'gpt-4o', group: 'vip', priority: 0, weight: 0 },
  ...{ other_info: '', balance: 0, used_quota: 0, response_time: 0, tag: null },
};
const facts = {
  ...{
    id: 2,
    name: 'flaky',
    status: 3,
    status_reason: '401 invalid key',
    status_time: HOUR,
    created_time: 1_700_000_000,
  },
  suspicion: null,
  steps: [
    {
      ...{
        id: 9,
        at: HOUR + 60,
        from_status: 1,
        to_status: 3,
        cause: 'request',
        outcome: 'moved',
        actor_id: 0,
        actor: '',
      },
      reason: '401 invalid key',
      evidence: { status: 401, request_id: 'r-1', probe: { status: 401, message: 'Incorrect API key' } },
    },
  ],
  tests: [{ id: 4, at: HOUR, model: 'gpt-4o', success: false, time: 120, message: 'Incorrect API key' }],
  hours: [{ hour: HOUR, requests: 8, failures: 2, first_token_p50: 300, first_token_p95: 900, duration: 1500 }],
  from: HOUR - 23 * 3600,
  to: HOUR + 120,
};
const world = (more: Replies = {}): Replies => ({
  'GET /api/channel/search': json(success([channel]), 200, { 'X-Total-Count': '1' }),
  'GET /api/channel/count': success({ all: 1, enabled: 0, disabled: 0, auto_disabled: 1 }),
  'GET /api/group/': success(['default', 'vip']),
  'GET /api/channel/models': success([]),
  'GET /api/channel/models_enabled': success(['gpt-4o']),
  'GET /api/channel/2/health': success(facts),
  ...more,
});
const open = async (more: Replies = {}) => {
  const page = await renderPage('/channel?health=2', { user: admin, replies: world(more) });
  return { ...page, drawer: await screen.findByRole('dialog') };
};

describe('the health of a channel', () => {
  it('shows its state with the reason, its requests, and every decision with the evidence', async () => {
    const { drawer, router } = await open();
    const inside = within(drawer);
    expect(await inside.findAllByText(shell.status.autoDisabled)).toHaveLength(2);
    expect(inside.getAllByText('401 invalid key')).toHaveLength(2);
    expect(inside.getByText(health.step.request_3)).toBeTruthy();
    expect(inside.getByRole('link', { name: 'r-1' }).getAttribute('href')).toContain('/log?request_id=r-1');
    expect(inside.getByRole('figure', { name: /25\.0/ })).toBeTruthy();
    fireEvent.click(inside.getByRole('switch', { name: health.asTable }));
    expect(inside.getByRole('table').textContent).toContain('0.90');
    fireEvent.click(inside.getByRole('button', { name: shell.action.close }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('requests a longer period, and still works when the log service does not answer', async () => {
    const { drawer, network } = await open({
      'GET /api/channel/2/health': success({ ...facts, hours: null, steps: [], tests: [] }),
    });
    const inside = within(drawer);
    expect(await inside.findByText(health.chart.unknown)).toBeTruthy();
    expect(inside.getByText(health.nothing)).toBeTruthy();
    fireEvent.change(inside.getByLabelText(health.period), { target: { value: '168' } });
    await waitFor(() =>
      expect(network.of('GET', '/api/channel/2/health').map(({ query }) => query.get('hours'))).toContain('168'),
    );
  });

  it('leaves one history entry of the list when closed: the first "back" leaves the list', async () => {
    const { router } = await renderPage('/about', {
      user: admin,
      replies: { 'GET /api/about': success(''), ...world() },
    });
    await act(() => router.navigate('/channel'));
    fireEvent.click(await screen.findByRole('button', { name: shell.status.autoDisabled }));
    fireEvent.click(await screen.findByRole('button', { name: health.timeline }));
    fireEvent.click(await screen.findByRole('button', { name: shell.action.close }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
    expect(router.state.location.pathname).toBe('/channel');
    await act(() => router.navigate(-1));
    expect(router.state.location.pathname).toBe('/about');
  });

  it('says that it could not be loaded', async () => {
    const { drawer } = await open({ 'GET /api/channel/2/health': refusal('not there', 'channel-not-found') });
    expect(await within(drawer).findByText(/not there/)).toBeTruthy();
  });
});

describe('why a channel is not chosen', () => {
  const why = {
    ...{ group: 'vip', model: 'gpt-4o', obstacles: ['no_channel'], tries: 1, total: 1 },
    channels: [
      {
        ...{ id: 2, name: 'flaky', type: 1, status: 3, priority: 0, weight: 0, share: 0, place: 'out' },
        reasons: [{ code: 'auto_disabled', params: { reason: 'bad key' } }],
      },
    ],
  };

  it('is first explained for the group and model of the channel, then for typed ones', async () => {
    const { drawer, network } = await open({ 'GET /api/channel/why': success(why) });
    fireEvent.click(await within(drawer).findByRole('button', { name: health.why }));
    const dialog = await screen.findByRole('dialog', { name: choice.title });
    expect(await within(dialog).findByText(choice.obstacle.no_channel)).toBeTruthy();
    expect(within(dialog).getByText(choice.reason.auto_disabled.replace('{{reason}}', 'bad key'))).toBeTruthy();
    const asked = () => network.of('GET', '/api/channel/why').map(({ query }) => Object.fromEntries(query));
    expect(asked()).toEqual([{ group: 'vip', model: 'gpt-4o', channel_id: '2' }]);
    fireEvent.change(within(dialog).getByLabelText(choice.model), { target: { value: 'other' } });
    fireEvent.change(within(dialog).getByLabelText(choice.endpoint), { target: { value: 'embeddings' } });
    fireEvent.submit(within(dialog).getByLabelText(choice.model));
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ model: 'other', endpoint: 'embeddings' }));
  });

  it('is also explained for a channel that is not on the current page', async () => {
    const { drawer, network } = await open({
      'GET /api/channel/search': json(success([]), 200, { 'X-Total-Count': '0' }),
      'GET /api/channel/2': success(channel),
      'GET /api/channel/why': success(why),
    });
    fireEvent.click(await within(drawer).findByRole('button', { name: health.why }));
    const dialog = await screen.findByRole('dialog', { name: choice.title });
    expect(await within(dialog).findByText(choice.obstacle.no_channel)).toBeTruthy();
    expect(within(dialog).getByLabelText<HTMLInputElement>(choice.model).value).toBe('gpt-4o');
    const [asked] = network.of('GET', '/api/channel/why').map(({ query }) => Object.fromEntries(query));
    expect(asked).toEqual({ group: 'vip', model: 'gpt-4o', channel_id: '2' });
  });

  it('says so when the channel cannot be loaded', async () => {
    const { drawer, network } = await open({
      'GET /api/channel/search': json(success([]), 200, { 'X-Total-Count': '0' }),
      'GET /api/channel/2': refusal('gone', 'channel-not-found'),
    });
    fireEvent.click(await within(drawer).findByRole('button', { name: health.why }));
    const dialog = await screen.findByRole('dialog', { name: choice.title });
    expect((await within(dialog).findByRole('alert')).textContent).toContain('gone');
    expect(network.of('GET', '/api/channel/why')).toEqual([]);
  });
});
