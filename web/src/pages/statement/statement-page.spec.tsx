import { describe, expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const totals = {
  ...{ postings: 9, turnover: 9, requests: 9, consumed: 9, returned: 0, corrected: 0, paid: 0, refunded: 0 },
  ...{ redeemed: 0, granted: 0, adjusted: 0, late: 0, net: -9, cost: null, margin: null, costed: 0, costed_sales: 0 },
};
const replies = {
  'GET /api/statement': success({
    ...{ items: [{ ...totals, period: '2026-01-01', key: '' }], total: 1, page: 1, page_size: 10 },
    ...{ totals, opening: 0, closing: -9 },
  }),
  'GET /api/period': success({ items: [], total: 0, page: 1, page_size: 10 }),
};

describe('the statement of everybody', () => {
  it('has its tabs under its heading, and a dash with a word where a cost is not known', async () => {
    await renderPage('/statement?start=2026-01-01&end=2026-01-31', { user: admin, replies });
    const row = within((await screen.findByText('2026-01-01', { selector: 'th' })).closest('tr')!);
    expect(row.getAllByRole('img', { name: shell.state.unknown })).toHaveLength(2);
    const heading = screen.getByRole('heading', { level: 1, name: zh.title });
    const tabs = screen.getByRole('tablist', { name: zh.title });
    expect(heading.compareDocumentPosition(tabs) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const cost = screen.getByText(zh.column.cost, { selector: 'p' }).parentElement!;
    expect(within(cost).getByRole('img', { name: shell.state.unknown })).toBeTruthy();
  });
});
