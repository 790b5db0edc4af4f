import { describe, expect, it } from '@jest/globals';
import { fillOf } from './batch-dialog.js';
import type { RatioMaps, RatioRow } from './ratio-rows.js';
import {
  applyEdits,
  leftRow,
  priceProblems,
  pricesOfRatios,
  ratiosOfPrices,
  rowOf,
  rowProblems,
  rowsOf,
  unpricedBy,
  unsetModels,
} from './ratio-rows.js';

const maps: RatioMaps = { price: { draw: 0.1 }, ratio: { chat: 1.25, old: 2 }, completion: { chat: 4, only: 3 } };
const row = (name: string, more: Partial<RatioRow> = {}): RatioRow => ({
  name,
  price: '',
  ratio: '',
  completion: '',
  ...more,
});

describe('rows', () => {
  it('joins the three tables by name', () => {
    expect(rowsOf(maps).map(({ name }) => name)).toEqual(['chat', 'draw', 'old', 'only']);
    expect(rowsOf(maps)[0]).toEqual(row('chat', { ratio: '1.25', completion: '4' }));
  });

  it('counts a model as unset without price and ratio, whatever its completion ratio', () => {
    expect(unsetModels(maps, ['chat', 'draw', 'only', 'new'])).toEqual(['only', 'new']);
    expect(unsetModels(maps, ['constructor'])).toEqual(['constructor']);
    expect(rowOf(maps, 'constructor')).toEqual(row('constructor'));
  });

  it('counts a model as unset only by the name under which it is priced, and never a drawing or song', () => {
    const served = ['gpt-4-gizmo-foo', 'gpt-4o-gizmo-a', 'gpt-4o-gizmo-b', 'mj_imagine', 'suno_music', 'swap_face'];
    const gizmos = { ...maps, ratio: { 'gpt-4-gizmo-*': 15 } };
    expect(unsetModels(gizmos, served)).toEqual(['gpt-4o-gizmo-*']);
  });
});

describe('rules', () => {
  it('lets a price exclude the ratios and a ratio the price, once the cell with the number is left', () => {
    const ratios = row('a', { ratio: '1', completion: '2' });
    expect(leftRow({ ...ratios, price: '0.5' }, 'price', ratios)).toEqual(row('a', { price: '0.5' }));
    expect(leftRow(row('a', { price: '0.5', ratio: '1' }), 'ratio', ratios)).toEqual(row('a', { ratio: '1' }));
    for (const price of ['', ' ', 'x', '0']) {
      const typed = { ...ratios, price };
      expect(leftRow(typed, 'price', ratios)).toEqual(typed);
    }
  });

  it('brings the stored price of the other kind back to a row that is left without any', () => {
    const ratios = row('a', { ratio: '1', completion: '2' });
    expect(leftRow(row('a'), 'price', ratios)).toEqual(ratios);
    expect(leftRow(row('a'), 'ratio', row('a', { price: '0.5' }))).toEqual(row('a', { price: '0.5' }));
    expect(leftRow(row('a'), 'price', row('a', { price: '0.5' }))).toEqual(row('a'));
  });

  it('names the models that would lose their price without having been deleted', () => {
    const edits = new Map([
      ['chat', row('chat', { completion: '4' })],
      ['draw', row('draw')],
      ['old', null],
      ['only', row('only', { completion: '5' })],
      ['new', row('new', { ratio: '1' })],
    ]);
    expect(unpricedBy(maps, edits)).toEqual(['chat', 'draw']);
  });

  it('refuses invalid numbers, and a price of zero', () => {
    for (const text of ['x', '-1', '$5', '1,5', '.', '1e', 'e3', '0x10', 'Infinity', '1e999'])
      expect([text, rowProblems(row('a', { ratio: text }))]).toEqual([text, { ratio: 'ratio.number' }]);
    expect(rowProblems(row('a', { price: '0.0' }))).toEqual({ price: 'ratio.zero' });
    expect(rowProblems(row('a', { price: '0e3' }))).toEqual({ price: 'ratio.zero' });
    expect(rowProblems(row('a', { ratio: '0' }))).toEqual({});
  });

  it('takes a number in every decimal form, also with an exponent', () => {
    for (const [text, ratio] of [
      ['1e-3', 0.001],
      ['2.5E+2', 250],
      ['.5', 0.5],
      ['5.', 5],
    ] as const) {
      const typed = row('new', { ratio: text });
      expect([text, rowProblems(typed)]).toEqual([text, {}]);
      expect(applyEdits(maps, new Map([['new', typed]])).ratio.new).toBe(ratio);
    }
    expect(ratiosOfPrices({ input: '2e-1', output: '.8' }, '')).toEqual({ ratio: '0.1', completion: '4' });
    expect(fillOf('price', '1e-3', '')).toEqual({ price: '1e-3', ratio: '', completion: '' });
  });

  it('changes only the staged rows', () => {
    const edits = new Map([
      ['chat', row('chat', { price: '2' })],
      ['old', null],
      ['new', row('new', { ratio: '0.5', completion: '3' })],
      // The cell of its price was not left.
      ['only', row('only', { price: '3', completion: '3' })],
    ]);
    expect(applyEdits(maps, edits)).toEqual({
      price: { draw: 0.1, chat: 2, only: 3 },
      ratio: { new: 0.5 },
      completion: { new: 3 },
    });
  });

  it('converts prices to ratios and back without floating point noise', () => {
    expect(ratiosOfPrices({ input: '0.15', output: '0.6' }, '')).toEqual({ ratio: '0.075', completion: '4' });
    expect(pricesOfRatios({ ratio: '0.075', completion: '4' })).toEqual({ input: '0.15', output: '0.6' });
    expect(ratiosOfPrices({ input: '', output: '1' }, '4')).toEqual({ ratio: '', completion: '' });
    expect(ratiosOfPrices({ input: '1', output: '' }, '4')).toEqual({ ratio: '0.5', completion: '' });
  });

  it('writes very small and very large numbers without an exponent, as forms take them', () => {
    expect(ratiosOfPrices({ input: '0.0000002', output: '0.2' }, '')).toEqual({
      ratio: '0.0000001',
      completion: '1000000',
    });
    expect(pricesOfRatios({ ratio: '0.0000000001', completion: '0.1' })).toEqual({
      input: '0.0000000002',
      output: '0.00000000002',
    });
    const stored = rowOf({ price: {}, ratio: { a: 1.5e-7 }, completion: { a: 1e21 } }, 'a');
    expect(stored).toEqual(row('a', { ratio: '0.00000015', completion: '1000000000000000000000' }));
    expect(rowProblems(stored)).toEqual({});
  });

  it('refuses an output price that would be a multiple of nothing', () => {
    expect(priceProblems({ input: '0', output: '10' })).toEqual({ output: 'ratio.freeInput' });
    expect(priceProblems({ input: '0', output: '0' })).toEqual({});
    expect(priceProblems({ input: '0', output: '' })).toEqual({});
    expect(priceProblems({ input: '0', output: 'x' })).toEqual({ output: 'ratio.number' });
  });

  it('keeps the completion ratio of a free model whose prices are typed again', () => {
    const prices = pricesOfRatios({ ratio: '0', completion: '3' });
    expect(ratiosOfPrices(prices, '3')).toEqual({ ratio: '0', completion: '3' });
  });

  it('fills several rows by one of four modes, or says what is missing', () => {
    expect(fillOf('price', '0.1', '')).toEqual({ price: '0.1', ratio: '', completion: '' });
    // One ratio keeps the other one.
    expect(fillOf('ratio', '2', '')).toEqual({ price: '', ratio: '2' });
    expect(fillOf('completion', '4', '')).toEqual({ price: '', completion: '4' });
    expect(fillOf('both', '1', '2')).toEqual({ price: '', ratio: '1', completion: '2' });
    expect(fillOf('both', '1', '')).toBe('batch.both');
    expect(fillOf('ratio', ' ', '')).toBe('batch.missing');
    expect(fillOf('ratio', 'x', '')).toBe('batch.number');
    expect(fillOf('price', '0', '')).toBe('ratio.zero');
  });
});
