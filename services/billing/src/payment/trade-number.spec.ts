import { expect, it } from '@jest/globals';
import { isTradeNo, newTradeNo } from './trade-number.js';

it('recognises an order number that was made here', () => {
  const tradeNo = newTradeNo(17, 1_739_950_503);
  expect(tradeNo).toMatch(/^USR17NO[A-Za-z0-9]{6}1739950503$/);
  expect(isTradeNo(tradeNo)).toBe(true);
});

it.each(['shop-17', 'USR', 'xUSR17NOabc', ''])('does not take %j for an order number', (reference) => {
  expect(isTradeNo(reference)).toBe(false);
});
