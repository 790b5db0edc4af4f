import { describe, expect, it } from '@jest/globals';
import { emptyTaskUpdate, type RoutedChannel } from '@tollgate/contracts';
import { Clock, type Logger, Metrics, type OptionStore } from '@tollgate/chassis';
import { SecondsClock } from '../../test/clocks.js';
import { Refusal } from '../call/refusal.js';
import { Retries } from '../retry/retries.js';
import { AffinityRecord } from '../routing/affinity-record.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { KeyChoice } from '../routing/key-choice.js';
import { type Submission, Submissions, type TaskOrder } from './submissions.js';
import type { TaskAnswer } from './task-answers.js';

const drawer = { type: 2, weight: 0, key: 'k', setting: {} };
const options = { get: () => 3 } as unknown as OptionStore;
const BUSY = new Refusal(429, 'queue full', '22');

/**
 * Two channels, of which the first does not take the task. `named` is the channel id that the channel service returns
 * for the stored row.
 */
function scene(named: (asked: number) => number | undefined) {
  const asked: number[] = [];
  const told: unknown[] = [];
  const warned: unknown[][] = [];
  const drains: (() => Promise<void>)[] = [];
  const call = { requestId: 'r', user: { id: 1 }, model: 'mj_imagine', group: 'default', startedAt: 0 };
  const submissionTo = (channel: RoutedChannel): Submission =>
    ({
      ...{ call, channel, platform: 'midjourney', action: 'IMAGINE', prompt: 'a cat', isFree: true },
      ...{ path: '', headers: {}, body: Buffer.alloc(0) },
      read: (): TaskAnswer => {
        if (channel.id === 2)
          return { isAccepted: true, status: 200, upstreamId: 'task', code: 1, news: emptyTaskUpdate };
        return {
          isAccepted: false,
          status: 200,
          upstreamId: '',
          code: 22,
          news: emptyTaskUpdate,
          fault: BUSY,
          mayGoOn: true,
        };
      },
    }) as unknown as Submission;
  const order = {
    ...{ call, isFree: true },
    channels: [1, 2].map((id) => ({ ...drawer, id, priority: -id, baseUrl: `http://drawer-${id}` })),
    submissionTo,
  } as unknown as TaskOrder;
  const metrics = new Metrics('relay');
  const logger = {
    info: () => undefined,
    warn: (...words: unknown[]) => void warned.push(words),
    error: () => undefined,
  };
  const breakers = new ChannelBreakers(new Clock(), logger as unknown as Logger, metrics);
  const parts = {
    admission: { admitTask: () => Promise.resolve({ hold: { settle: () => undefined }, terms: {} }) },
    settlement: {
      close: () => Promise.resolve(),
      undelivered: (...[, , , refusal]: unknown[]) => Promise.resolve(void told.push(refusal)),
    },
    tasks: {
      open: ({ channelId }: { channelId: number }) =>
        Promise.resolve({ id: 7, upstreamId: '', isOver: false, channelId: named(channelId) }),
      settle: () => Promise.resolve(),
    },
    outbound: {
      send: ({ url }: { url: string }) => {
        asked.push(Number(/\d+$/.exec(url)?.[0]));
        return Promise.resolve({ status: 200, body: Buffer.alloc(0) });
      },
    },
    retries: new Retries(new KeyChoice(), new AffinityRecord(metrics), breakers, options),
    lifecycle: { onDrain: (listener: () => Promise<void>) => void drains.push(listener) },
  };
  const { admission, settlement, tasks, outbound, retries, lifecycle } = parts;
  const given = [admission, settlement, tasks, outbound, retries, breakers, new SecondsClock(), logger, lifecycle];
  const submissions = new Submissions(...(given as unknown as ConstructorParameters<typeof Submissions>));
  const drain = (): Promise<unknown> => Promise.all(drains.map((listener) => listener()));
  return { answer: () => submissions.submit(order), asked, told, tasks, drain, warned };
}

describe('a task that its channel does not take', () => {
  it('is submitted to the next channel, which the row then names', async () => {
    const { answer, asked } = scene((id) => id);
    expect(await answer()).toMatchObject({ isAccepted: true, status: 200, upstreamId: 'task' });
    expect(asked).toEqual([1, 2]);
  });

  it.each<[string, (id: number) => number | undefined]>([
    ['goes on to name the first one', () => 1],
    ['is kept by a channel service of before, which does not tell', () => undefined],
  ])('is refused where the row %s', async (_, named) => {
    const { answer, asked, told } = scene(named);
    expect(await answer()).toMatchObject({ isAccepted: false, code: 22 });
    expect(asked).toEqual([1]);
    expect(told).toMatchObject([{ status: 429, message: 'queue full' }]);
  });
});

describe('a relay that stops', () => {
  it('says that submissions still run when it has waited for them', async () => {
    const { answer, tasks, drain, warned } = scene((id) => id);
    const settled = Promise.withResolvers<void>();
    tasks.settle = () => settled.promise;
    const answered = answer();
    await drain();
    expect(warned).toEqual([['submissions still run while the relay stops', { running: 1 }]]);
    settled.resolve();
    await answered;
    await drain();
    expect(warned).toHaveLength(1);
  });
});
