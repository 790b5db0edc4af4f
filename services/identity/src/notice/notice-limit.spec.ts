import { describe, expect, it } from '@jest/globals';
import { MemoryKeyValue } from '@tollgate/chassis';
import { NoticeLimit } from './notice-limit.js';

describe('the limit of notices', () => {
  const OFF = 'channel_update_7_3';
  const limit = new NoticeLimit(new MemoryKeyValue());

  it('admits two notices of a kind per person, and counts repetitions of the same notice once', async () => {
    const admitted: boolean[] = [];
    for (const source of ['first', 'first', 'second', 'third', 'second', 'first'])
      admitted.push(await limit.admits(1, OFF, source));
    expect(admitted).toEqual([true, true, true, false, true, true]);
  });

  it('counts each kind and each person separately', async () => {
    expect(await limit.admits(1, 'channel_update_7_1', 'fourth')).toBe(true);
    expect(await limit.admits(1, 'channel_update_8_3', 'fifth')).toBe(true);
    expect(await limit.admits(2, OFF, 'third')).toBe(true);
  });
});
