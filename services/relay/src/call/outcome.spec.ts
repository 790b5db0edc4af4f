import { describe, expect, it } from '@jest/globals';
import { requestConsumed } from '@tollgate/contracts';
import { fromRecord } from '@tollgate/chassis';
import { consumptionEvent, type RouteTaken, type Ending, noUsage, type Terms } from './outcome.js';
import type { RelayCall } from './relay-call.js';

const call = {
  requestId: '019aa5b2-7c31-7f00-8abc-0123456789ab',
  endpoint: 'chat',
  model: 'gpt-4o',
  group: 'default',
  user: { id: 7 },
  token: { id: 3 },
  isStream: true,
  startedAt: 1_763_700_000_000,
} as RelayCall;
const terms: Terms = {
  priceVersion: 'v1',
  replicaEpoch: 'e1',
  price: {
    modelRatio: 1.25,
    completionRatio: 4,
    groupRatio: 1,
    cacheRatio: 0.5,
    cacheCreationRatio: 1.25,
    modelPrice: -1,
    quotaPerUnit: 500_000,
  },
};
const attempt = { channelId: 5, channelType: 1, class: 'ok', status: 200, durationMs: 12 } as const;
const served: RouteTaken = { attempts: [attempt], channelId: 5, upstreamModel: 'gpt-4o-2024', reasoningEffort: 'high' };
const unreached: RouteTaken = { attempts: [{ ...attempt, class: 'network', status: 0, message: 'x' }], channelId: 0 };
const usage = { ...noUsage, inputTokens: 11, outputTokens: 7, cacheReadTokens: 3, reasoningTokens: 2 };

const endings: [string, RouteTaken, Ending][] = [
  ['served', served, { outcome: 'completed', usage, usageSource: 'upstream', durationMs: 12.6, firstTokenMs: 3.2 }],
  ['cut', served, { outcome: 'upstream_cut', usage, usageSource: 'estimated', durationMs: 1, error: error(200) }],
  [
    'failed',
    unreached,
    { outcome: 'failed', usage: noUsage, usageSource: 'upstream', durationMs: 0, error: error(503) },
  ],
];

function error(status: number): NonNullable<Ending['error']> {
  return { status, code: 'do_request_failed', type: 'new_api_error', message: '请求上游地址失败' };
}

describe('the record of a request', () => {
  it.each(endings)('matches its contract when it was %s', (_, route, ending) => {
    const event = consumptionEvent(call, terms, route, ending);
    // The record is written without validation and read with it, so a missing, wrong or superfluous member would show
    // here.
    expect(fromRecord(requestConsumed, JSON.stringify(event))).toEqual(event);
    expect(requestConsumed.data.parse(event.data)).toEqual(event.data);
  });

  it('matches it in the playground, where no token pays', () => {
    const [, route, ending] = endings[0] as (typeof endings)[number];
    const event = consumptionEvent({ ...call, token: undefined }, terms, route, ending);
    expect(fromRecord(requestConsumed, JSON.stringify(event)).data.tokenId).toBe(0);
  });
});
