import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@tollgate/contracts';
import { Clock, Metrics } from '@tollgate/chassis';
import { noUsage } from '../call/outcome.js';
import type { BilledCall } from '../call/relay-call.js';
import type { Spool } from '../spool/spool.js';
import { type Charged, Settlement } from './settlement.js';

const route = { attempts: [], channelId: 1 };
const price = {
  ...{ modelRatio: 1, completionRatio: 1, groupRatio: 1, cacheRatio: 1, cacheCreationRatio: 1 },
  ...{ modelPrice: -1, quotaPerUnit: 500_000 },
};

function scene(isAgain: boolean) {
  const closed: EventEnvelope[] = [];
  const spool = {
    start: () => Promise.resolve(),
    closeAnyway: (event: EventEnvelope) => Promise.resolve(void closed.push(event)),
  } as unknown as Spool;
  const call = {
    ...{ requestId: 'dead', user: { id: 1 }, token: { id: 2 }, model: 'm', group: 'default', isStream: false },
    ...{ startedAt: 0, startedMono: 0, endpoint: 'chat', ...(isAgain && { isAgain }) },
  } as unknown as BilledCall;
  const charged = {
    hold: { settle: () => undefined },
    terms: { priceVersion: 'v', price, replicaEpoch: 'e' },
  } as unknown as Charged;
  return { settlement: new Settlement(spool, new Clock(), new Metrics('relay')), call, charged, closed };
}

const refused = { status: 502, code: 'c', type: 't', message: 'no' };

describe('a call that gave its client nothing', () => {
  it('is recorded under its id, for nothing', async () => {
    const { settlement, call, charged, closed } = scene(false);
    await settlement.undelivered(call, charged, route, refused);
    expect(closed).toMatchObject([{ id: 'dead', data: { quota: 0, outcome: 'failed' } }]);
  });

  it('is recorded apart where an earlier run has died under its id: that one may have delivered something', async () => {
    const { settlement, call, charged, closed } = scene(true);
    await settlement.undelivered(call, charged, route, refused);
    expect(closed).toMatchObject([{ data: { quota: 0, outcome: 'failed' } }]);
    expect(closed[0]?.id).not.toBe('dead');
  });

  it('closes what it has opened itself', async () => {
    const { settlement, call, charged, closed } = scene(true);
    await settlement.open(call, charged, route, { usage: noUsage, usageSource: 'estimated' });
    await settlement.undelivered(call, charged, route, refused);
    expect(closed.map(({ id }) => id)).toEqual(['dead']);
  });
});
