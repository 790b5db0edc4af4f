import { describe, expect, it } from '@jest/globals';
import { createChannelSchema, updateChannelSchema } from './channel.js';
import { idFilter, integerFilter, momentFilter, wordFilter } from './fields.js';
import { createRedemptionSchema } from './redemption.js';
import { createTokenSchema, updateTokenSchema } from './token.js';

describe('filters of lists', () => {
  it('read what is no number as any, and what is beyond all rows as such', () => {
    const read = (value: unknown) => integerFilter.parse(value);
    for (const none of [undefined, null, '', 'abc', true, [], {}]) expect(read(none)).toBe(0);
    expect(['4', 4, '4.7', '12x', '-3'].map(read)).toEqual([4, 4, 4, 12, -3]);
    for (const huge of ['9'.repeat(30), '1e300', 'Infinity', 2 ** 60]) expect(read(huge)).toBe(Number.MAX_SAFE_INTEGER);
    expect(read(`-${'9'.repeat(30)}`)).toBe(Number.MIN_SAFE_INTEGER);
  });

  it('find nothing by an invalid id', () => {
    const read = (value: unknown) => idFilter.parse(value);
    expect([undefined, '', 'x', '0', '7'].map(read)).toEqual([0, 0, 0, 0, 7]);
    for (const none of ['-1', '99999999999', '9'.repeat(30)]) expect(read(none)).toBe(2 ** 31 - 1);
  });

  it('refuse a time out of range', () => {
    const moment = momentFilter('no time');
    expect(moment.parse('253402300799')).toBe(253_402_300_799);
    for (const bad of ['253402300800', '1e300', '-1'])
      expect(moment.safeParse(bad).error?.issues[0]?.message).toBe('no time');
  });

  it('refuse an unknown word', () => {
    const word = wordFilter(['paid', 'pending'], 'no word');
    expect([undefined, '', 'paid'].map((value) => word.parse(value))).toEqual(['', '', 'paid']);
    for (const bad of ['Paid', 'other', 5]) expect(word.safeParse(bad).error?.issues[0]?.message).toBe('no word');
  });
});

describe('null', () => {
  it('is no other than an absent number, switch or state', () => {
    const token = { name: 'one', expired_time: null, remain_quota: null, unlimited_quota: null };
    expect(createTokenSchema.parse({ ...token, model_limits_enabled: null })).toEqual(
      createTokenSchema.parse({ name: 'one' }),
    );
    expect(updateTokenSchema.parse({ id: 1, status: null, ...token })).toMatchObject({ name: 'one' });
    const code = { name: 'gift', count: 1, quota: 1 };
    expect(createRedemptionSchema.parse({ ...code, expired_time: null })).toEqual(createRedemptionSchema.parse(code));
    const channel = { name: 'main', key: 'k', models: 'm' };
    expect(createChannelSchema.parse({ ...channel, type: null })).toEqual(createChannelSchema.parse(channel));
    expect(updateChannelSchema.parse({ id: 1, type: null, status: null })).toEqual(
      updateChannelSchema.parse({ id: 1 }),
    );
  });

  it('is no value of another type', () => {
    for (const wrong of ['1', {}, []]) {
      expect(createTokenSchema.safeParse({ name: 'one', remain_quota: wrong }).success).toBe(false);
      expect(updateChannelSchema.safeParse({ id: 1, type: wrong }).success).toBe(false);
    }
  });
});
