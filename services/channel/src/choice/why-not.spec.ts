import { describe, expect, it } from '@jest/globals';
import { type Candidate, whyNot } from './why-not.js';

const candidate = (id: number, more: Partial<Candidate> = {}): Candidate => ({
  id,
  name: `c${id}`,
  type: 1,
  status: 1,
  statusReason: '',
  priority: 0,
  weight: 0,
  servesGroup: true,
  servesModel: true,
  isBuilt: true,
  hasEndpoint: true,
  isMappingSound: true,
  hasUsableKey: true,
  isSuspect: false,
  ...more,
});
const told = (candidates: Candidate[], tries = 1) =>
  whyNot(candidates, tries).map(({ id, place, reasons }) => [id, place, reasons.map(({ code }) => code)]);

describe('why a channel gets no request', () => {
  it('is no reason at the highest priority, where channels share by weight', () => {
    const rows = whyNot([candidate(1), candidate(2, { weight: 30 }), candidate(3, { priority: -1 })], 1);
    expect(rows.map(({ id, share }) => [id, share])).toEqual([
      [2, 0.8], // 40 of 50
      [1, 0.2],
      [3, 1],
    ]);
  });

  it('is its keys set aside, when the last one is; a channel with other keys stays in use and lists them', () => {
    const rows = told([
      candidate(1, { keys: { serving: 1, size: 3 } }),
      candidate(2, { keys: { serving: 2, size: 2 } }),
      candidate(3, { status: 3, keys: { serving: 0, size: 2 } }),
      candidate(4, { status: 2, keys: { serving: 1, size: 2 } }),
    ]);
    expect(rows).toEqual([
      [1, 'first', ['keys_away']],
      [2, 'first', []],
      [3, 'out', ['auto_disabled', 'keys_away']],
      [4, 'out', ['disabled']],
    ]);
  });

  it('is a channel of higher priority that is not tried yet, or the limit on tries', () => {
    const all = [candidate(1, { priority: 2 }), candidate(2, { priority: 2 }), candidate(3, { priority: 1 })];
    expect(told(all, 2)).toEqual([
      [1, 'first', []],
      [2, 'first', []],
      [3, 'never', ['lower_priority', 'beyond_retries']],
    ]);
    expect(told(all, 3)[2]).toEqual([3, 'retry', ['lower_priority']]);
  });

  it('lists every reason that excludes it, and an excluded channel does not block others', () => {
    const off = candidate(9, {
      priority: 5,
      status: 3,
      statusReason: 'bad key',
      servesModel: false,
      hasUsableKey: false,
    });
    expect(whyNot([off, candidate(1)], 1)).toMatchObject([
      { id: 1, place: 'first', share: 1 },
      {
        id: 9,
        place: 'out',
        share: 0,
        reasons: [{ code: 'auto_disabled', params: { reason: 'bad key' } }, { code: 'model' }, { code: 'key' }],
      },
    ]);
  });

  it.each([
    ['disabled', { status: 2 }],
    ['group', { servesGroup: false }],
    ['endpoint', { hasEndpoint: false }],
    ['not_built', { isBuilt: false, hasEndpoint: false }],
    ['mapping', { isMappingSound: false }],
  ] as const)('is %s', (code, more) => {
    expect(told([candidate(1, more)])).toEqual([[1, 'out', [code]]]);
  });

  it('does not exclude a suspected channel, nor one that the mass-disable brake keeps on', () => {
    expect(told([candidate(1, { isSuspect: true, statusReason: 'refused' })])).toEqual([
      [1, 'first', ['suspect', 'held']],
    ]);
  });
});
