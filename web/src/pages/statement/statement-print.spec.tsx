import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { StatementSums } from '@tollgate/contracts/api/statement';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const none = { postings: 0, turnover: 0, requests: 0, consumed: 0, returned: 0, corrected: 0, paid: 0, refunded: 0 };
const sums = (requests: number): StatementSums => ({
  ...{ ...none, redeemed: 0, granted: 0, adjusted: 0, late: 0 },
  ...{ postings: requests, requests, consumed: requests, turnover: requests, net: -requests },
});
const ROWS = 130;

/**
 * An own statement with a row of one request per day; `booked` returns the number of requests booked between two calls.
 */
async function open(booked = () => 0) {
  let more = 0;
  const view = await renderPage('/statement?start=2026-01-01&end=2026-06-30', {
    user: person,
    replies: {
      'GET /api/statement/self': ({ query }: Call) => {
        more += booked();
        const [page, size] = [Number(query.get('p')), Number(query.get('page_size'))];
        const days = Array.from({ length: ROWS }, (_, day) => ({
          ...{ ...sums(1), key: '' },
          period: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
        }));
        const items = days.slice((page - 1) * size, page * size);
        const totals = sums(ROWS + more);
        return success({ ...{ items, total: ROWS, page, page_size: size, totals }, opening: 0, closing: totals.net });
      },
    },
  });
  await screen.findByText('2026-01-01', { selector: 'th' });
  const asked = () =>
    view.network.of('GET', '/api/statement/self').filter(({ query }) => query.get('page_size') === '100');
  // The chart makes one request of its own.
  await waitFor(() => expect(asked()).toHaveLength(1));
  const calls = () => asked().slice(1);
  return { ...view, calls };
}

/** Records the printed rows and text at the moment when the browser prints. */
function catchPaper() {
  const papers: { rows: string[]; text: string }[] = [];
  jest.spyOn(window, 'print').mockImplementation(() => {
    const paper = document.querySelector<HTMLElement>('.print-only table')?.closest<HTMLElement>('.print-only');
    if (!paper) throw new Error('nothing on paper');
    // Queried by selector: the table is hidden on screens, so queries by role do not find it.
    const rows = [...paper.querySelectorAll('tbody th')].map(({ textContent }) => textContent);
    papers.push({ rows, text: paper.textContent ?? '' });
  });
  return papers;
}

describe('a statement on paper', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['the button', () => fireEvent.click(screen.getByRole('button', { name: zh.print }))],
    ['the key of the browser', () => fireEvent.keyDown(window, { key: 'p', ctrlKey: true })],
  ])('contains every row and the sums, and is printed once, by %s', async (_name, press) => {
    const papers = catchPaper();
    const { calls } = await open();
    press();
    press();
    await waitFor(() => expect(papers).toHaveLength(1));
    expect(papers[0]?.rows).toHaveLength(ROWS + 1);
    expect(papers[0]?.rows.at(-1)).toBe(zh.total);
    expect(papers[0]?.text).not.toContain(zh.printedMoved);
    expect(calls()).toHaveLength(2);
    act(() => void window.dispatchEvent(new Event('afterprint')));
    expect(document.querySelector('.print-only table')).toBeNull();
  });

  it('leaves other key combinations to the browser', async () => {
    await open();
    expect(fireEvent.keyDown(window, { key: 'p' })).toBe(true);
    expect(fireEvent.keyDown(window, { key: 'P', ctrlKey: true, shiftKey: true })).toBe(true);
    expect(fireEvent.keyDown(window, { key: 'p', metaKey: true })).toBe(false);
  });

  it('loads the rows again when requests are booked meanwhile, and prints the sums of these rows', async () => {
    const papers = catchPaper();
    let left = 0;
    const { calls } = await open(() => (left-- > 0 ? 1 : 0));
    // Requests are booked between the two pages of the first load; the second load is consistent.
    left = 2;
    fireEvent.click(screen.getByRole('button', { name: zh.print }));
    await waitFor(() => expect(papers).toHaveLength(1));
    expect(calls()).toHaveLength(4);
    expect(papers[0]?.text).not.toContain(zh.printedMoved);
    expect(papers[0]?.text).toContain(String(ROWS + 2));
  });

  it('says so when no load was consistent', async () => {
    const papers = catchPaper();
    const { calls } = await open(() => 1);
    fireEvent.click(screen.getByRole('button', { name: zh.print }));
    await waitFor(() => expect(papers).toHaveLength(1));
    expect(calls()).toHaveLength(6);
    expect(papers[0]?.text).toContain(zh.printedMoved);
  });
});
