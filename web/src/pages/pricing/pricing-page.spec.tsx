import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const row = (model_name: string, change: Record<string, unknown> = {}) => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  enable_groups: ['default', 'vip'],
  ...change,
});
const prices = (data: unknown[]) => ({
  'GET /api/pricing': {
    success: true,
    data,
    group_ratio: { default: 1, vip: 0.8 },
    usable_group: { default: 'd', vip: 'v' },
  },
});

describe('price list', () => {
  it('tells a visitor whose prices these are', async () => {
    await renderPage('/pricing', { replies: prices([row('gpt-4o')]) });
    expect(await screen.findByText(zh.banner.visitor.replace('{{ratio}}', '1'))).toBeTruthy();
    const line = await screen.findByRole('row', { name: /gpt-4o/ });
    expect(line.textContent).toContain('$2.5 / 1M tokens');
    expect(line.textContent).toContain('$10 / 1M tokens');
  });

  it('shows a model of no group of the reader after the others, as not available to them', async () => {
    await renderPage('/pricing', {
      user: person,
      replies: prices([
        row('a-closed', { enable_groups: [] }),
        row('b-open'),
        row('c-for-admins', { enable_groups: ['secret'] }),
      ]),
    });
    const [, first, second, third] = (await screen.findAllByRole('row')).map((line) => line.textContent);
    expect(first).toContain('b-open');
    expect(first).not.toContain(zh.unavailable);
    expect(second).toMatch(new RegExp(`a-closed.*${zh.unavailable}.*\\$2.5`));
    expect(third).toMatch(new RegExp(`c-for-admins.*${zh.unavailable}`));
    expect(third).not.toContain('secret');
  });

  it('shows another group on a click, in the address too', async () => {
    const { router } = await renderPage('/pricing', { user: person, replies: prices([row('gpt-4o')]) });
    fireEvent.click(await screen.findByRole('button', { name: 'vip' }));
    await waitFor(() => expect(router.state.location.search).toBe('?group=vip'));
    expect((await screen.findByRole('row', { name: /gpt-4o/ })).textContent).toContain('$2 / 1M tokens'); // 2.5 × 0.8
  });

  it('never shows a fallback as a price', async () => {
    await renderPage('/pricing', { user: person, replies: prices([row('odd', { priced: false, model_ratio: 37.5 })]) });
    const line = await screen.findByRole('row', { name: /odd/ });
    expect(line.textContent).toContain(zh.unpriced);
    expect(line.textContent).not.toContain('37.5');
  });

  it('copies selected names only, and draws only what is in view of ten thousand', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => row(`model-${index}`));
    await renderPage('/pricing', { user: person, replies: prices(many) });
    const table = await screen.findByRole('table', { name: zh.title });
    expect(within(table).getAllByRole('row').length).toBeLessThan(150);
    expect(table.getAttribute('aria-rowcount')).toBe('10001');
    const copy = screen.getByRole('button', { name: zh.copySelected });
    expect(copy.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(within(table).getAllByRole('checkbox')[1]!);
    expect(copy.getAttribute('aria-disabled')).toBeNull();
  });

  it('searches parts of names', async () => {
    await renderPage('/pricing', { user: person, replies: prices([row('gpt-4o'), row('o3')]) });
    fireEvent.change(await screen.findByLabelText(zh.search), { target: { value: 'GPT' } });
    await waitFor(() => expect(screen.queryByText('o3')).toBeNull());
  });
});
