import { describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { baseApi } from '../../api/base-api.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { liveHeard } from '../../app/slices/live.js';
import { channel } from '../../testing/channel-replies.js';
import { json, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

describe('a channel that somebody else changes', () => {
  it('gets its new state in the shown row, without rows being added or removed', async () => {
    let rows = [channel(2), channel(1)];
    const list = () => json(success(rows), 200, { 'X-Total-Count': String(rows.length) });
    const { store, network } = await renderPage('/channel', {
      user: admin,
      replies: {
        'GET /api/channel/search': list,
        'GET /api/channel/count': success({ all: 2, enabled: 1, disabled: 0, auto_disabled: 1 }),
        'GET /api/group/': success(['default']),
        'GET /api/channel/models': success([]),
      },
    });
    const first = await screen.findByRole('row', { name: /channel-2/ });
    const names = () => screen.getAllByRole('row').flatMap(({ textContent }) => textContent?.match(/channel-\d/) ?? []);
    expect(network.of('GET', '/api/channel/search')).toHaveLength(1);
    rows = [channel(3), channel(2, { status: 3 })];
    await act(async () => {
      store.dispatch(liveHeard({ kinds: ['channels'], at: Date.now() + 1 }));
      store.dispatch(baseApi.util.invalidateTags(['ChannelState']));
    });
    await within(first).findByText(shell.status.autoDisabled);
    expect(names()).toEqual(['channel-2', 'channel-1']);
    expect(network.of('GET', '/api/channel/search')).toHaveLength(2);
    // The counts above the list are fetched again and may change, unlike which rows are shown.
    await waitFor(() => expect(network.of('GET', '/api/channel/count')).toHaveLength(2));
    expect(screen.getByRole('table', { name: zh.title })).toBeTruthy();
  });
});
