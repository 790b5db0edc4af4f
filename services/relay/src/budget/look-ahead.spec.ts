import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccountBlock } from './account-block.js';

const MOST = 100;

describe('LookAhead', () => {
  let block: AccountBlock;
  beforeEach(() => {
    block = new AccountBlock('wallet', 1, 0);
  });

  /** A reply of billing to a request for `need`. */
  function answer(need: number, lent: number, { now = 0, available = 1_000_000, isGranted = true } = {}): void {
    block.learn({ granted: block.granted + lent, returned: block.returned });
    block.ahead.applyReply({ now, need, lent, available, isGranted });
  }
  /** Spends this many units. */
  const run = (units: number): void => {
    block.place(units, 0);
    block.settle(units, units, 0);
  };

  it('requests one block once, however often it is called, until billing has replied', () => {
    answer(MOST, 256 * MOST);
    run(129 * MOST);
    expect(block.ahead.isLow).toBe(true);
    expect(block.ahead.nextRequest(MOST, 1000)).toBeGreaterThanOrEqual(MOST);
    expect([block.ahead.isLow, block.ahead.nextRequest(MOST, 1000)]).toEqual([false, 0]);
    answer(MOST, 256 * MOST, { now: 1000 });
    run(200 * MOST);
    expect(block.ahead.isLow).toBe(true);
  });

  it('continues when the requested block came with the reply to another request', () => {
    answer(MOST, 256 * MOST);
    answer(MOST, 0);
    run(129 * MOST);
    expect(block.ahead.isLow).toBe(true);
  });

  it('continues when only the other account of the pair was requested', () => {
    answer(MOST, 256 * MOST);
    answer(0, 0, { available: 500_000 });
    run(129 * MOST);
    expect(block.ahead.nextRequest(MOST, 1000)).toBeGreaterThanOrEqual(MOST);
  });

  it.each([
    ['refused', 0, false],
    ['lent the need alone', MOST, true],
  ])('rests when it was %s', (_, lent, isGranted) => {
    answer(MOST, 256 * MOST);
    answer(MOST, lent, { isGranted });
    run(200 * MOST);
    expect(block.ahead.isLow).toBe(false);
  });

  it('stops when others wait for quota of the account, so that it does not fetch back what was returned', () => {
    answer(MOST, 256 * MOST);
    run(10 * MOST);
    block.recall();
    expect([block.idle, block.ahead.isLow]).toEqual([0, false]);
  });

  it('requests nothing from a fund that pays for fewer than 128 of the largest requests', () => {
    answer(MOST, 256 * MOST, { available: 127 * MOST });
    run(129 * MOST);
    expect(block.ahead.nextRequest(MOST, 1000)).toBe(0);
  });
});
