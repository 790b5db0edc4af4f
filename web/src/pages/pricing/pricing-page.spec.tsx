import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { narrowWindow } from '../../testing/narrow-window.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as common } from '../../app/i18n/zh.js';
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
  it('tells a visitor for which group the prices are', async () => {
    await renderPage('/pricing', { replies: prices([row('gpt-4o')]) });
    expect(await screen.findByText(zh.banner.visitor.replace('{{ratio}}', '1'))).toBeTruthy();
    const line = await screen.findByRole('row', { name: /gpt-4o/ });
    expect(line.textContent).toContain('$2.5 / 1M tokens');
    expect(line.textContent).toContain('$10 / 1M tokens');
  });

  it('shows models that the reader may not use last, as not available', async () => {
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

  it('has a menu of all groups where they do not fit into the table', async () => {
    const widen = narrowWindow(/max-width: 1[46]/);
    const names = ['alpha', 'beta', 'default', 'gold', 'silver', 'vip'];
    const replies = prices([row('gpt-4o', { enable_groups: names })]);
    const groups = Object.fromEntries(names.map((name) => [name, name === 'silver' ? 0.5 : 1]));
    Object.assign(replies['GET /api/pricing'], { group_ratio: groups });
    try {
      const { router } = await renderPage('/pricing', { user: person, replies });
      fireEvent.click(
        await screen.findByRole('button', { name: `default +5: ${zh.moreGroups.replace('{{count}}', '5')}` }),
      );
      expect((await screen.findAllByRole('menuitem')).map((entry) => entry.textContent)).toEqual(names);
      fireEvent.click(screen.getByRole('menuitem', { name: 'silver' }));
      await waitFor(() => expect(router.state.location.search).toBe('?group=silver'));
      await waitFor(() => expect(screen.getByRole('button', { name: /^silver \+5/ })).toBeTruthy());
      expect(screen.getByText('$1.25 / 1M tokens')).toBeTruthy(); // 2.5 × 0.5
    } finally {
      widen();
    }
  });

  it('ignores a group of the address that does not exist, whatever its name', async () => {
    await renderPage('/pricing?group=constructor', {
      user: person,
      replies: prices([row('gpt-4o', { enable_groups: ['default', 'toString'] })]),
    });
    const line = await screen.findByRole('row', { name: /gpt-4o/ });
    expect(line.textContent).toContain('$2.5 / 1M tokens');
    expect(line.textContent).not.toContain('toString');
  });

  it('never shows a fallback as a price', async () => {
    await renderPage('/pricing', { user: person, replies: prices([row('odd', { priced: false, model_ratio: 37.5 })]) });
    const line = await screen.findByRole('row', { name: /odd/ });
    expect(line.textContent).toContain(zh.refused);
    expect(line.textContent).not.toContain('37.5');
  });

  const accepting = { ...selfOf(person), setting: '{"accept_unset_model_ratio_model":true}' };
  it.each([
    ['are refused and say so, without a tick', {}, false],
    ['may be called in self-use mode', { status: { self_use_mode_enabled: true } }, true],
    ['may be called by a reader who accepts them', { replies: { 'GET /api/user/self': success(accepting) } }, true],
  ])(
    'models without a price %s',
    async (_, { replies, ...options }: Parameters<typeof renderPage>[1] & object, may) => {
      await renderPage('/pricing', {
        ...{ user: person, ...options },
        replies: { ...prices([row('odd', { priced: false })]), ...replies },
      });
      const line = within(await screen.findByRole('row', { name: /odd/ }));
      expect(await line.findByText(may ? zh.unpriced : zh.refused)).toBeTruthy();
      expect(line.queryByTitle(zh.available) !== null).toBe(may);
    },
  );

  it('copies selected names only, and renders only the rows in view of ten thousand', async () => {
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

  it('shows only prices in a small window, and the ratios on request', async () => {
    const widen = narrowWindow(/1279/);
    try {
      await renderPage('/pricing', { user: person, replies: prices([row('gpt-4o')]) });
      const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
      await screen.findByRole('row', { name: /gpt-4o/ });
      expect(heads()).toEqual(expect.arrayContaining([zh.column.prompt, zh.column.completion]));
      expect(heads()).not.toContain(zh.column.modelRatio);
      fireEvent.click(screen.getByRole('button', { name: common.table.columns }));
      const settings = await screen.findByRole('dialog');
      fireEvent.click(within(settings).getByRole('checkbox', { name: zh.column.modelRatio }));
      fireEvent.click(within(settings).getByRole('button', { name: common.action.ok }));
      expect(heads()).toContain(zh.column.modelRatio);
    } finally {
      widen();
    }
  });

  it('shows cards on a phone: prices first, groups and ratios when expanded, checkboxes while selecting', async () => {
    const widen = narrowWindow();
    try {
      await renderPage('/pricing', { user: person, replies: prices([row('gpt-4o'), row('o3', { quota_type: 1 })]) });
      const card = (await screen.findByText('gpt-4o')).closest('li')!;
      const said = () => [...card.querySelectorAll('dt')].map(({ textContent }) => textContent);
      expect(said()).toEqual([zh.column.type, zh.column.prompt, zh.column.completion]);
      expect(card.textContent).toContain('$10 / 1M tokens');
      fireEvent.click(within(card).getByRole('button', { name: common.action.expand }));
      expect(said()).toEqual(expect.arrayContaining([zh.column.groups, zh.column.modelRatio]));
      expect(within(card).getByRole('button', { name: 'vip' })).toBeTruthy();
      const perCall = screen.getByText('o3').closest('li')!;
      expect([...perCall.querySelectorAll('dt')].map(({ textContent }) => textContent)).not.toContain(
        zh.column.completion,
      );
      expect(within(card).queryByRole('checkbox')).toBeNull();
      fireEvent.click(screen.getByRole('button', { name: common.action.select }));
      fireEvent.click(within(card).getByRole('checkbox'));
      const copy = screen.getByRole('button', { name: zh.copySelected });
      expect(copy.getAttribute('aria-disabled')).toBeNull();
    } finally {
      widen();
    }
  });

  it('names the search that no model matches, and clears it', async () => {
    await renderPage('/pricing?q=zzz', { replies: prices([row('gpt-4o')]) });
    const filter = common.table.chip.replace('{{label}}', zh.column.name).replace('{{value}}', 'zzz');
    expect(await screen.findByText(common.state.noMatch.replace('{{filters}}', filter))).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: common.action.clearFilters }));
    expect(await screen.findByRole('row', { name: /gpt-4o/ })).toBeTruthy();
  });
});
