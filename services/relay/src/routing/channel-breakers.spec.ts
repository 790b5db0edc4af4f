import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '@tollgate/contracts';
import { Clock, type Logger, Metrics } from '@tollgate/chassis';
import { ChannelBreakers } from './channel-breakers.js';
import type { KeyedChannel } from './key-choice.js';

const one = { id: 1 } as KeyedChannel;
const keyOfOne = { id: 1, keyId: 'k0' } as KeyedChannel;

function scene() {
  let now = 0;
  const clock = Object.assign(new Clock(), { monotonic: () => now });
  const lines: string[] = [];
  const logger = { info: (text: string) => void lines.push(text) } as unknown as Logger;
  const metrics = new Metrics('relay');
  const breakers = new ChannelBreakers(clock, logger, metrics);
  const fail = (attempt: Partial<Attempt>, { times = 1, channel = one, retryAfter = 0 } = {}): void => {
    const failure = { attempt: { channelId: 1, ...attempt } as Attempt, ...(retryAfter > 0 && { retryAfter }) };
    for (let time = 0; time < times; time += 1) breakers.failed(channel, failure);
  };
  const gauge = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('tollgate_relay_channel_open{'));
  return { breakers, fail, lines, gauge, pass: (ms: number) => void (now += ms) };
}

describe('the breakers of channels', () => {
  it.each<[string, Partial<Attempt>, KeyedChannel, boolean]>([
    ['an upstream out of order', { class: 'upstream', status: 500 }, one, true],
    ['an error in a good reply', { class: 'upstream', status: 200 }, one, true],
    ['an upstream that is not reached', { class: 'network', status: 0 }, one, true],
    ['a timeout', { class: 'timeout', status: 504 }, one, true],
    ['a rate limit', { class: 'rate-limited', status: 429 }, one, true],
    ['a rate limit of one of several keys', { class: 'rate-limited', status: 429 }, keyOfOne, false],
    ['an upstream with several keys out of order', { class: 'upstream', status: 500 }, keyOfOne, true],
    ['a task that is refused for its content', { class: 'upstream', status: 400 }, one, false],
    ['a bad request', { class: 'invalid', status: 400 }, one, false],
    ['a refused key', { class: 'credential', status: 401 }, one, false],
    ['a client that left', { class: 'ok', status: 0 }, one, false],
  ])('count %s as told', (_, attempt, channel, counts) => {
    const { breakers, fail } = scene();
    fail(attempt, { times: 20, channel });
    expect(breakers.isOpen(1)).toBe(counts);
  });

  it.each([
    [429, 'rate-limited', true],
    [503, 'upstream', true],
    [500, 'upstream', false],
  ] as const)('heed the Retry-After of a %i at once: %s, %s', (status, attemptClass, opens) => {
    const { breakers, fail } = scene();
    fail({ class: attemptClass, status }, { retryAfter: 30 });
    expect(breakers.isOpen(1)).toBe(opens);
  });

  it('are logged and measured while they are not closed', async () => {
    const { breakers, fail, lines, gauge, pass } = scene();
    fail({ class: 'upstream', status: 503 }, { times: 7 });
    expect([await gauge(), lines]).toEqual([
      ['tollgate_relay_channel_open{channel="1",service="relay"} 1'],
      ['a channel fails and is passed over'],
    ]);
    pass(10_000);
    const trial = breakers.begin(1) ?? {};
    breakers.end(one, trial, { attempt: { channelId: 1, class: 'upstream', status: 503 } as Attempt });
    expect([breakers.isOpen(1), lines.length]).toEqual([true, 2]);
    breakers.succeeded(1);
    expect([await gauge(), lines.at(-1)]).toEqual([[], 'a channel answers again']);
  });

  it('let the next trial begin after one that showed nothing', () => {
    const { breakers, fail, pass } = scene();
    fail({ class: 'upstream', status: 503 }, { times: 5 });
    pass(10_000);
    const trial = breakers.begin(1) ?? {};
    expect(breakers.isOpen(1)).toBe(true);
    breakers.end(one, trial, { attempt: { channelId: 1, class: 'invalid', status: 400 } as Attempt });
    expect(breakers.isOpen(1)).toBe(false);
  });

  it('are closed again when their channel was changed', () => {
    const { breakers, fail } = scene();
    fail({ class: 'upstream', status: 503 }, { times: 5 });
    breakers.forget((id) => id !== 1);
    expect(breakers.isOpen(1)).toBe(true);
    breakers.forget((id) => id === 1);
    expect(breakers.isOpen(1)).toBe(false);
  });
});
