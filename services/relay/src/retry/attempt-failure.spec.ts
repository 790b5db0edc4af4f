import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import { RequestRejected } from '@tollgate/providers';
import { rejectionOf } from './attempt-failure.js';

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
