import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';

const channel = {
  ...{ id: 5, type: 1, name: 'several', status: 1, openai_organization: null, base_url: '', other: '' },
  ...{ models: 'gpt-4o', group: 'default', model_mapping: null, status_code_mapping: null, param_override: null },
  ...{ setting: null, auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1 },
  ...{ test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
  ...{ multi_key_mode: 'polling', multi_key_size: 2, multi_key_away: 1 },
};
const away = { id: 'k1', hint: '***1111', status: 3, reason: 'Incorrect API key', time: 1_795_000_000 };
const fine = { id: 'k2', hint: '***2222', status: 1, reason: '', time: 0 };

const world = {
  'GET /api/channel/search': success([channel]),
  'GET /api/channel/count': success({ all: 1, enabled: 1, disabled: 0, auto_disabled: 0 }),
  'GET /api/group/': success(['default']),
  'GET /api/channel/models': success([]),
  'GET /api/channel/5': success(channel),
  'GET /api/channel/5/keys': success([away, fine]),
};

describe('the keys of a channel that has several', () => {
  it('are listed with their states, and switched on again', async () => {
    const { network } = await renderPage('/channel/edit/5', {
      user: admin,
      language: 'en',
      replies: { ...world, 'PUT /api/channel/5/keys': success([{ ...away, status: 1 }, fine]) },
    });
    const row = (await screen.findByText('***1111')).closest('tr') as HTMLElement;
    expect(row.textContent).toContain('Incorrect API key');
    expect(screen.getByText('Keys (1 of 2 in use)')).toBeTruthy();
    fireEvent.click(within(row).getByRole('button', { name: 'Enable key ***1111' }));
    await waitFor(() =>
      expect(network.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
        { key_id: 'k1', status: 1 },
      ]),
    );
  });

  it('say why a key cannot be disabled', async () => {
    await renderPage('/channel/edit/5', {
      user: admin,
      language: 'en',
      replies: { ...world, 'PUT /api/channel/5/keys': refusal('the last one', 'channel-last-key') },
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Disable key ***2222' }));
    expect(await screen.findByText(/One key at least stays on/)).toBeTruthy();
  });
});
