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

function scene({ isAgain, mayRecord }: Pick<BilledCall, 'isAgain' | 'mayRecord'> = {}) {
  const closed: EventEnvelope[] = [];
  const begun: string[] = [];
  const spool = {
    start: ({ id }: { id: string }) => Promise.resolve(void begun.push(id)),
    close: (event: EventEnvelope) => Promise.resolve(void closed.push(event)),
    closeAnyway: (event: EventEnvelope) => Promise.resolve(void closed.push(event)),
  } as unknown as Spool;
  const call = {
    ...{ requestId: 'dead', user: { id: 1 }, token: { id: 2 }, model: 'm', group: 'default', isStream: false },
    ...{ startedAt: 0, startedMono: 0, endpoint: 'chat', ...(isAgain && { isAgain }) },
    ...(mayRecord && { mayRecord }),
  } as unknown as BilledCall;
  const charged = {
    hold: { settle: () => undefined },
    terms: { priceVersion: 'v', price, replicaEpoch: 'e' },
  } as unknown as Charged;
  return { settlement: new Settlement(spool, new Clock(), new Metrics('relay')), call, charged, closed, begun };
}

const refused = { status: 502, code: 'c', type: 't', message: 'no' };

describe('a call whose client left while its prompt was counted', () => {
  const counted = { usage: noUsage, usageSource: 'estimated' } as const;
  const left = { ...counted, outcome: 'client_abort' } as const;

  it.each(['close', 'closeDelivered', 'undelivered'] as const)(
    'gets no first record after its final one: %s',
    async (end) => {
      const { settlement, call, charged, closed, begun } = scene();
      const ended =
        end === 'undelivered'
          ? settlement.undelivered(call, charged, route, undefined)
          : settlement[end](call, charged, route, left);
      // One `open` while the final record is being written, and one after it: neither may be written, since it would
      // never be closed.
      const beside = settlement.open(call, charged, route, counted);
      await ended;
      await beside;
      await settlement.open(call, charged, route, counted);
      expect([closed.map(({ id }) => id), begun]).toEqual([['dead'], []]);
    },
  );
});

describe('a call that gave its client nothing', () => {
  it('is recorded under its id, without a charge', async () => {
    const { settlement, call, charged, closed } = scene();
    await settlement.undelivered(call, charged, route, refused);
    expect(closed).toMatchObject([{ id: 'dead', data: { quota: 0, outcome: 'failed' } }]);
  });

  it('is recorded under another id where an earlier run has died under its id, since that run may have delivered something', async () => {
    const { settlement, call, charged, closed } = scene({ isAgain: true });
    await settlement.undelivered(call, charged, route, refused);
    expect(closed).toMatchObject([{ data: { quota: 0, outcome: 'failed' } }]);
    expect(closed[0]?.id).not.toBe('dead');
  });

  it('closes its own first record', async () => {
    const { settlement, call, charged, closed } = scene({ isAgain: true });
    await settlement.open(call, charged, route, { usage: noUsage, usageSource: 'estimated' });
    await settlement.undelivered(call, charged, route, refused);
    expect(closed.map(({ id }) => id)).toEqual(['dead']);
  });
});

describe('a call that another run may have taken over', () => {
  const ending = { outcome: 'completed', usage: noUsage, usageSource: 'upstream' } as const;
  const gone = { mayRecord: () => Promise.resolve(false) };

  it.each(['open', 'close'] as const)('gives its client nothing if it was taken over before %s', async (step) => {
    const { settlement, call, charged, closed } = scene(gone);
    await expect(settlement[step](call, charged, route, ending)).rejects.toMatchObject({
      error: { code: 'idempotency_in_progress' },
    });
    await settlement.undelivered(call, charged, route, refused);
    expect(closed).toMatchObject([{ data: { quota: 0, outcome: 'failed' } }]);
    expect(closed[0]?.id).not.toBe('dead');
  });

  it('costs nothing if its client has left', async () => {
    const { settlement, call, charged, closed } = scene(gone);
    await settlement.closeDelivered(call, charged, route, {
      ...ending,
      usage: { ...noUsage, inputTokens: 9 },
      outcome: 'client_abort',
    });
    expect(closed).toMatchObject([{ data: { quota: 0, outcome: 'client_abort' } }]);
    expect(closed[0]?.id).not.toBe('dead');
  });

  it('claims the record once, as charged or free', async () => {
    const asked: string[] = [];
    const mayRecord = (recorded: string): Promise<boolean> => Promise.resolve(asked.push(recorded) > 0);
    const first = scene({ mayRecord });
    await first.settlement.close(first.call, first.charged, route, ending);
    const second = scene({ mayRecord });
    await second.settlement.undelivered(second.call, second.charged, route, refused);
    expect([asked, [...first.closed, ...second.closed].map(({ id }) => id)]).toEqual([
      ['charged', 'free'],
      ['dead', 'dead'],
    ]);
  });
});
