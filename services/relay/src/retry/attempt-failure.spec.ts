import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import { RequestRejected } from '@tollgate/providers';
import { exhaustedFaultOf, rejectionOf } from './attempt-failure.js';

const channel = { id: 7, type: 1 } as RoutedChannel;

describe('a request that cannot be expressed', () => {
  it.each([
    ['chat', 500],
    ['messages', 500],
    ['responses', 400],
  ] as const)(
    'to a channel whose mapping runs in a circle is answered to a client of %s with %i',
    (endpoint, status) => {
      const circle = new RequestRejected('model_mapping_contains_cycle', 'model_mapping_contains_cycle');
      const { localStatus, fault, isUnsupported } = rejectionOf(channel, circle, endpoint);
      expect([localStatus, fault.code, isUnsupported]).toEqual([status, 'model_mapped_error', undefined]);
    },
  );

  it('for this channel may be sent to another one', () => {
    const { localStatus, isUnsupported } = rejectionOf(
      channel,
      new RequestRejected('invalid_text_request', 'no'),
      'chat',
    );
    expect([localStatus, isUnsupported]).toEqual([400, true]);
  });
});

describe('a quota that is used up', () => {
  const display = { displayInCurrency: true, quotaPerUnit: 500_000 };

  it.each([
    [
      { account: 'wallet', left: 500, need: 1250 },
      'user quota is not enough, user quota: ＄0.001000, need quota: ＄0.002500',
    ],
    [
      { account: 'token', left: 0, need: 5 },
      'token quota is not enough, token remain quota: ＄0.000000, need quota: ＄0.000010',
    ],
    [undefined, 'user quota is not enough'],
  ] as const)('is reported with what was left and needed: %j', (shortage, message) => {
    expect(exhaustedFaultOf({ shortage }, display).message).toBe(message);
  });
});
