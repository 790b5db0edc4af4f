import { describe, expect, it } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import type { Proof } from '@tollgate/contracts/api/proof';
import { renderPage, root } from '../../testing/render-page.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { texts as en } from './en.js';

const proof: Proof = {
  kind: 'request',
  id: 'abc',
  user_id: 2,
  complete: false,
  steps: [
    { link: 'received', state: 'done', time: 1_763_856_000_000, facts: [{ name: 'model', value: 'gpt-4o' }] },
    {
      ...{ link: 'rating', state: 'differs', time: 0, facts: [{ name: 'charged', value: 11 }] },
      lines: [{ kind: 'input', count: 100, ratio: 1, units: '7.5' }],
    },
    {
      ...{ link: 'event', state: 'done', time: 0 },
      facts: [
        { name: 'partition', value: 2 },
        { name: 'offset', value: 41_007 },
      ],
    },
    { link: 'log', state: 'missing', time: 0, facts: [] },
  ],
};

describe('a chain of proof', () => {
  it('shows its links, their facts, and which do not hold', async () => {
    const replies = { 'GET /api/proof/request/abc': success(proof) };
    await renderPage('/proof/request/abc', { user: root, language: 'en', replies });
    await screen.findByText(en.verdict.broken);
    for (const text of [
      en.link.received,
      en.facts.model,
      en.lines.input,
      '7.5',
      en.facts.partition,
      en.facts.offset,
      '41007',
      en.state_.differs,
      en.state_.missing,
    ])
      expect(screen.getByText(text)).toBeTruthy();
  });

  it('shows nothing of one request under the id of another', async () => {
    const replies = {
      'GET /api/proof/request/abc': success(proof),
      'GET /api/proof/request/def': refusal('not-found', 'proof-not-found'),
    };
    const { router } = await renderPage('/proof/request/abc', { user: root, language: 'en', replies });
    await screen.findByText(en.verdict.broken);
    await act(() => router.navigate('/proof/request/def'));
    expect((await screen.findByRole('alert')).textContent).toContain('know nothing of this');
    expect(screen.queryByText(en.verdict.broken)).toBeNull();
  });

  it('says when it is not found', async () => {
    const replies = { 'GET /api/proof/order/x': refusal('not-found', 'proof-not-found') };
    await renderPage('/proof/order/x', { user: root, language: 'en', replies });
    expect((await screen.findByRole('alert')).textContent).toContain('know nothing of this');
  });
});
