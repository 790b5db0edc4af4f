import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Call } from '../../testing/fake-fetch.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';

const channel = {
  ...{ id: 5, type: 1, name: 'one', status: 1, openai_organization: null, base_url: '', other: '' },
  ...{ models: 'gpt-4o', group: 'default', model_mapping: null, status_code_mapping: null, param_override: null },
  ...{ setting: null, auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1 },
  ...{ test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
};
const costs = (version: number, ratio: number) => ({
  version,
  current: [{ id: version, channel_id: 5, model: 'gpt-4o', terms: { ratio }, since: 1, actor_id: 1 }],
  history: [],
});

describe('the cost prices of a channel', () => {
  it('changed by somebody else meanwhile are shown beside the typed text, which replaces them on the next save', async () => {
    let stored = costs(3, 0.5);
    const { network } = await renderPage('/channel/edit/5', {
      user: admin,
      language: 'en',
      replies: {
        'GET /api/channel/search': success([channel]),
        'GET /api/channel/count': success({ all: 1, enabled: 1, disabled: 0, auto_disabled: 0 }),
        'GET /api/group/': success(['default']),
        'GET /api/channel/models': success([]),
        'GET /api/channel/5': success(channel),
        'GET /api/cost': () => success(stored),
        'PUT /api/cost': ({ body }: Call) =>
          (body as { based_on: number }).based_on === stored.version
            ? success(costs(5, 0.7))
            : refusal('changed', 'cost-changed-meanwhile', { kind: 'conflict', params: { version: stored.version } }),
      },
    });
    const open = await screen.findByRole('button', { name: 'Change cost prices', hidden: true });
    await waitFor(() => expect(open.getAttribute('disabled')).toBeNull());
    fireEvent.click(open);
    const dialog = within(await screen.findByRole('dialog', { name: 'Change cost prices' }));
    const field = dialog.getByRole<HTMLTextAreaElement>('textbox');
    fireEvent.change(field, { target: { value: '{"gpt-4o":{"ratio":0.7}}' } });
    stored = costs(4, 0.6);
    fireEvent.click(dialog.getByRole('button', { name: 'Submit' }));

    expect(await dialog.findByText(/Look at theirs before you save/)).toBeTruthy();
    const theirs = await dialog.findByRole('region', { name: 'Stored cost prices' });
    expect(theirs.textContent).toContain('0.6');
    expect(field.value).toContain('0.7');
    fireEvent.click(dialog.getByRole('button', { name: 'Replace and save' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Change cost prices' })).toBeNull());
    expect(network.of('PUT', '/api/cost').map(({ body }) => body)).toEqual(
      [3, 4].map((version) => ({
        ...{ channel_id: 5, costs: [{ model: 'gpt-4o', terms: { ratio: 0.7 } }], based_on: version },
      })),
    );
  });
});
