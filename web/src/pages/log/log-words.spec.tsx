import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { logText, logTexts } from '@tollgate/contracts/log-texts';
import { quotaLogText } from '@tollgate/pricing';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const row = (content: string, change: Record<string, unknown> = {}) => ({
  ...{ id: 1, user_id: 3, created_at: 1_795_000_000, type: 1, content, username: 'bob', token_name: '' },
  ...{ model_name: '', quota: 0, prompt_tokens: 0, completion_tokens: 0, use_time: 0, is_stream: false },
  ...{ channel: 0, channel_name: '', token_id: 0, group: '', other: '', ...change },
});
const dollars = (quota: number) => quotaLogText(quota, { displayInCurrency: true, quotaPerUnit: 500_000 });
const units = (quota: number) => quotaLogText(quota, { displayInCurrency: false, quotaPerUnit: 500_000 });
const open = (language: 'zh' | 'en', item: unknown) =>
  renderPage('/log', {
    user: person,
    language,
    replies: {
      'GET /api/log/self/': success({ items: [item], total: 1, page: 1, page_size: 10 }),
      'GET /api/log/self/stat': success({ quota: 0, rpm: 0, tpm: 0 }),
    },
  });

describe('the text of a row that is no request', () => {
  it.each([
    [
      logText('redemption', { quota: dollars(750_000), id: 7 }),
      'Topped up by a redemption code: $1.500000 (code id 7)',
    ],
    [
      logText('redemption', { quota: units(1_500_000), id: 7 }),
      'Topped up by a redemption code: 1,500,000 units (code id 7)',
    ],
    [
      logText('top-up', { quota: dollars(1_000_000), money: '14.600000' }),
      'Topped up online: $2.000000, paid 14.600000',
    ],
    [
      logText('admin-adjustment', { before: dollars(-100_000), after: dollars(1_500_000) }),
      'An administrator changed the balance from −$0.200000 to $3.000000',
    ],
    [logText('midjourney-refund', { task: 'mj-7', quota: dollars(50_000) }), 'Drawing mj-7 failed: $0.100000 returned'],
  ])('is said in English: %s', async (content, text) => {
    await open('en', row(content));
    const shown = await screen.findByTitle(text);
    expect(shown.textContent).toBe(text);
    expect(shown.getAttribute('lang')).toBeNull();
    fireEvent.click(within(screen.getByRole('table')).getByRole('button', { expanded: false }));
    await waitFor(() => expect(screen.getAllByText(text)).toHaveLength(2));
    expect(document.body.textContent).not.toContain(content);
  });

  it.each([
    ['zh', logText('midjourney-refund', { task: 'mj-7', quota: dollars(50_000) })],
    ['en', logText('midjourney-refund', { task: 'mj-7', quota: 'something else' })],
    ['en', 'something else'],
  ] as const)('stays as it is in Chinese, and where it is unknown: %s %s', async (language, content) => {
    await open(language, row(content));
    const shown = await screen.findByTitle(content);
    expect([shown.textContent, shown.getAttribute('lang')]).toEqual([content, 'zh-CN']);
  });

  it('is said in English of a channel test, beside its model', async () => {
    await open('en', row(logText('channel-test', {}), { type: 2, model_name: 'gpt-4o', quota: 5 }));
    expect((await screen.findByTitle(en.said['channel-test'])).textContent).toBe(en.said['channel-test']);
  });

  it('has the sentence of the server in the Chinese dictionary', () => {
    const templates = Object.entries(logTexts).map(([key, text]) => [key, text.replace(/{\w+}/g, '{$&}')]);
    expect(zh.said).toEqual(Object.fromEntries(templates));
  });
});
