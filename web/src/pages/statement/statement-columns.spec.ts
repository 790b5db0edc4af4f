import { describe, expect, it } from '@jest/globals';
import type { StatementSums } from '@tollgate/contracts/api/statement';
import type { NumberedRow } from '../../api/statement.api.js';
import { columnLayout, roomOf } from '../../components/tables/table-columns.js';
import { columnsFor } from './statement-columns.js';

const scale = { perUnit: 500_000, inCurrency: true };
const nothing = { postings: 0, turnover: 0, returned: 0, corrected: 0, paid: 0, refunded: 0, redeemed: 0, granted: 0 };
const sums = (change: Partial<StatementSums>): StatementSums => ({
  ...{ ...nothing, requests: 9, consumed: 0, adjusted: 0, net: 0, late: 0, costed: 9 },
  ...change,
});
const dollars = (amount: number): number => amount * scale.perUnit;
const widthOf = (id: string, totals: StatementSums): unknown =>
  columnsFor('none', false, { totals, items: [], scale }).find((column) => column.id === id)?.width;

describe('a column of money', () => {
  it('is wide enough for its sum, and only as wide as its header when the sum is small', () => {
    const small = widthOf('consumed', sums({ consumed: dollars(3) }));
    // `+$1,234,567.8901` needs 16 figures of about 7px each, and the padding.
    const large = widthOf('consumed', sums({ consumed: dollars(1_234_567.8902) }));
    expect(small).toBeGreaterThan(90);
    expect(small).toBeLessThan(118);
    expect(large).toBeGreaterThanOrEqual(16 * 7.2 + 24);
  });

  it('has room for the tag that says how much of the cost is known', () => {
    const known = widthOf('cost', sums({ cost: dollars(3) }));
    const partly = widthOf('cost', sums({ cost: dollars(3), costed: 4 }));
    expect(Number(partly)).toBeGreaterThan(Number(known));
  });

  it('is hidden by default when its movement did not occur', () => {
    const taken = { ...sums({ adjusted: dollars(-5) }), period: '2026-11-01', key: '', row: 1 };
    const given = { ...taken, adjusted: dollars(5), row: 2 };
    const totals = sums({ paid: dollars(5) });
    const hiddenOf = (items: NumberedRow[]) =>
      columnsFor('none', false, { totals, items, scale })
        .filter(({ defaultHidden }) => defaultHidden)
        .map(({ id }) => id);
    expect(hiddenOf([])).toEqual(expect.arrayContaining(['refunded', 'adjusted']));
    expect(hiddenOf([])).not.toContain('paid');
    // The signed amounts add up to zero.
    expect(hiddenOf([taken, given])).not.toContain('adjusted');
  });
});

/** Pixels beside the table: the open sidebar, the padding of the page and the border of the table. */
const FRAME = 200 + 2 * 24 + 2;

describe('a statement with all columns filled', () => {
  const amount = dollars(-1_234_567.8901);
  const full: StatementSums = {
    ...sums({ late: 12, costed: 4, requests: 12_345, consumed: amount, net: amount, adjusted: amount }),
    ...{ returned: amount, corrected: amount, paid: amount, refunded: amount, redeemed: amount, granted: amount },
    ...{ cost: amount, margin: amount },
  };
  const known = { totals: full, items: [], scale };
  const cases = [
    ...(['none', 'user', 'group', 'channel', 'model'] as const).map((by) => ({ by, own: false })),
    ...(['none', 'group', 'model'] as const).map((by) => ({ by, own: true })),
  ];
  const shownAt = (pixels: number, { by, own }: (typeof cases)[number]) =>
    columnsFor(by, own, known).filter((column) => pixels >= roomOf(column));

  it.each(cases)('fits every window from 960 pixels on: %p', (one) => {
    for (const pixels of [960, 1024, 1280, 1440, 1920]) {
      const shown = shownAt(pixels, one);
      expect(columnLayout(shown, 0).minimum).toBeLessThanOrEqual(pixels - FRAME);
      expect(shown.map(({ id }) => id)).toEqual(expect.arrayContaining(['period', 'requests', 'consumed']));
    }
  });

  it.each(cases)('leaves nothing out where there is room: %p', (one) => {
    const ids = (columns: { id: string }[]) => columns.map(({ id }) => id);
    expect(ids(shownAt(3000, one))).toEqual(ids(columnsFor(one.by, one.own)));
  });
});
