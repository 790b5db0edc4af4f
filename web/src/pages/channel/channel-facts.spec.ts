import { describe, expect, it } from '@jest/globals';
import type { Channel } from '@tollgate/contracts/api/channel';
import { formatBalance, otherInfoOf, responseColor, sortGroups, toTagRows } from './channel-facts.js';

const channel = (change: Partial<Channel>): Channel =>
  ({
    status: 1,
    group: 'default',
    used_quota: 1,
    response_time: 0,
    priority: 0,
    weight: 0,
    tag: 'a',
    ...change,
  }) as Channel;

describe('channel facts', () => {
  it('colours the response time by the documented steps', () => {
    expect([0, 1000, 1001, 3000, 5000, 5001].map(responseColor)).toEqual([
      'grey',
      'green',
      'lime',
      'lime',
      'yellow',
      'red',
    ]);
  });

  it('shortens a large balance', () => {
    expect([0, 12.346, -3, 99_999.99, 123_456.7].map(formatBalance)).toEqual([
      '$0.00',
      '$12.35',
      '\u2212$3.00',
      '$99999.99',
      '$12..56.70',
    ]);
  });

  it('averages over tested channels only, in any order', () => {
    const times = [3000, 0, 1000, 2000];
    const [row] = toTagRows(times.map((ms) => channel({ response_time: ms })));
    expect(row?.responseTime).toBe(2000); // (3000 + 1000 + 2000) / 3
  });

  it('leaves failed tests out of the average, and reports them when no test succeeded', () => {
    const failed = channel({ response_time: 10, test_ok: false });
    const [mixed] = toTagRows([channel({ response_time: 3000, test_ok: true }), failed]);
    expect(mixed).toMatchObject({ responseTime: 3000, testFailed: false });
    expect(toTagRows([channel({}), failed])[0]).toMatchObject({ responseTime: 0, testFailed: true });
    expect(toTagRows([channel({})])[0]).toMatchObject({ responseTime: 0, testFailed: false });
  });

  it('sums up a tag and leaves values blank that differ between its channels', () => {
    const rows = toTagRows([
      channel({ priority: 5, weight: 1, group: 'vip,default' }),
      channel({ priority: 5, weight: 2, status: 3 }),
      channel({ tag: 'b' }),
    ]);
    expect(rows.map(({ tag }) => tag)).toEqual(['a', 'b']);
    expect(rows[0]).toMatchObject({
      enabled: 1,
      usedQuota: 2,
      priority: 5,
      weight: undefined,
      groups: ['default', 'vip'],
    });
  });

  it('ignores status details that are no valid JSON', () => {
    expect(otherInfoOf(channel({ other_info: '{' }))).toEqual({});
    expect(otherInfoOf(channel({ other_info: '{"status_reason":"401"}' })).status_reason).toBe('401');
    expect(sortGroups(['vip', 'a', 'default', 'vip'])).toEqual(['default', 'a', 'vip']);
  });
});
