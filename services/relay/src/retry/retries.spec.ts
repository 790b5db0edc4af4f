import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  breakersAt,
  channelOf,
  failureAt,
  inOrder,
  type Outcome,
  outcomes,
  scene,
  type Scene,
} from '../../test/retry-scene.js';
import { HandClock } from '../../test/clocks.js';
import { GivenUp, MORE_ELSEWHERE, MORE_KEYS, type Round } from './retries.js';

describe('a call that its channels fail', () => {
  it('is served by the first one that can; the failures before it are its attempts', async () => {
    const { run, sender, round } = scene(inOrder(channelOf(1), channelOf(2), channelOf(3), channelOf(4)), {
      script: { 1: 'broken', 2: 'silent' },
    });
    expect(await run()).toEqual({ by: '3' });
    expect(sender.places).toEqual(['1', '2', '3']);
    expect(round.attempts.map(({ channelId }) => channelId)).toEqual([1, 2]);
  });

  it('tries another key of a channel first, without counting it, at most two of them', async () => {
    const { run, sender } = scene(inOrder(channelOf(1, 4), channelOf(2), channelOf(3)), {
      ...{ script: { 1: 'bad key', 2: 'broken' }, retryTimes: 1 },
    });
    expect(await run()).toBeInstanceOf(GivenUp);
    expect(sender.sent.map(({ channel }) => channel.id)).toEqual([1, 1, 1, 2]);
  });

  it.each<Outcome>(['bad key, told by 400', 'bad key, told under 200'])(
    'tries other keys of a channel, but no other channel, after a "%s"',
    async (outcome) => {
      const channels = [1, 2, 3, 4, 5].map((id) => channelOf(id, 2));
      // Another channel would be chosen at random.
      for (let time = 0; time < 10; time += 1) {
        const { run, sender } = scene(channels, {
          script: Object.fromEntries(channels.map(({ id }) => [`${id}/k0`, outcome])),
        });
        await run();
        const [first] = sender.sent;
        expect(sender.places).toEqual([`${first?.channel.id}/k0`, `${first?.channel.id}/k1`]);
      }
      const refused = scene(channels, { script: Object.fromEntries(channels.map(({ id }) => [id, outcome])) });
      expect(await refused.run()).toBeInstanceOf(GivenUp);
      expect(refused.sender.places).toHaveLength(2);
    },
  );

  it.each<Outcome>(['late', 'invalid', 'words', 'doubtful'])('ends at an attempt that was "%s"', async (outcome) => {
    const { run, sender } = scene(inOrder(channelOf(1), channelOf(2)), { script: { 1: outcome } });
    expect(await run()).toMatchObject({ channel: { id: 1 }, hasLeft: false });
    expect(sender.places).toEqual(['1']);
  });

  it('goes on from an answer whose status says little, and ends with it where no other attempt can be made', async () => {
    const script: Record<string, Outcome> = { 1: 'declined', 2: 'declined', 3: 'not made' };
    const { run, sender, round } = scene(inOrder(...[1, 2, 3, 4].map((id) => channelOf(id))), { script });
    expect(await run()).toMatchObject({ channel: { id: 2 }, failure: { attempt: { channelId: 2 } }, hasLeft: false });
    expect([sender.places, round.attempts.length]).toEqual([['1', '2'], 2]);
  });

  it('ends at a channel that the client named, except for its other keys', async () => {
    const named = { call: { channelId: 1 } };
    const one = scene([channelOf(1)], { script: { 1: 'broken' }, ...named });
    expect([await one.run(), one.sender.places]).toEqual([expect.any(GivenUp), ['1']]);
    const keyed = scene([channelOf(1, 2)], { script: { '1/k0': 'bad key' }, ...named });
    expect([await keyed.run(), keyed.sender.places]).toEqual([{ by: '1/k1' }, ['1/k0', '1/k1']]);
  });

  it('passes over channels that cannot express it, and over those like them, without an attempt', async () => {
    const alike = inOrder(channelOf(1), channelOf(2), channelOf(3, 1, { type: 14 }));
    const served = scene(alike, { script: { 1: 'unsupported' } });
    expect([await served.run(), served.sender.places, served.round.attempts]).toEqual([{ by: '3' }, ['1', '3'], []]);
    const refused = scene(alike, { script: { 1: 'unsupported', 3: 'unsupported' } });
    expect(await refused.run()).toMatchObject({ channel: { id: 1 }, failure: { isUnsupported: true } });
    expect(refused.round.attempts).toMatchObject([{ channelId: 1 }]);
  });

  it('is sent everywhere to find who made the answer that it continues', async () => {
    const channels = inOrder(...[1, 2, 3, 4].map((id) => channelOf(id, 2)), channelOf(5));
    const { run, sender } = scene(channels, {
      ...{ script: { 1: 'elsewhere', 2: 'elsewhere', 3: 'elsewhere', 4: 'elsewhere' }, retryTimes: 0 },
    });
    expect(await run()).toEqual({ by: '5' });
    expect(sender.places).toHaveLength(9);
    const many = inOrder(...Array.from({ length: 20 }, (_, id) => channelOf(id)));
    const lost = scene(many, {
      script: Object.fromEntries(many.map(({ id }) => [id, 'elsewhere' as const])),
      retryTimes: 9,
    });
    expect([await lost.run(), lost.sender.places.length]).toEqual([expect.any(GivenUp), MORE_ELSEWHERE + 1]);
  });

  it('is not sent again once its form was forwarded without being kept', async () => {
    const form = { isReplayable: false } as NonNullable<Round['call']['form']>;
    for (const outcome of ['broken', 'unsupported'] as const) {
      const { run, sender } = scene(inOrder(channelOf(1), channelOf(2)), { script: { 1: outcome }, call: { form } });
      expect([await run(), sender.places]).toEqual([expect.any(GivenUp), ['1']]);
    }
  });

  it('notes where a conversation was served, and nothing of one that was not', async () => {
    const notes = async (script: Record<string, Outcome>) => {
      const { run, metrics } = scene([channelOf(1)], { script, conversation: 'c' });
      await run();
      return (await metrics.registry.metrics()).includes('affinity_turns_total{outcome="first"');
    };
    expect(await notes({})).toBe(true);
    expect(await notes({ 1: 'broken' })).toBe(false);
  });

  it("leaves its refused key aside for later calls, also where the client gets the key's error", async () => {
    const refused: Outcome[] = ['bad key', 'bad key, told by 400', 'busy'];
    for (const outcome of refused) {
      const channel = channelOf(1, 2);
      const { run, keys } = scene([channel], { script: { '1/k0': outcome } });
      await run();
      expect([1, 2, 3].map(() => keys.pick(channel, new Set()).keyId)).toEqual(['k1', 'k1', 'k1']);
    }
  });

  it('needs a channel', async () => {
    await expect(scene([], {}).run()).rejects.toThrow('a call needs a channel');
  });
});

describe('a channel that fails again and again', () => {
  /** Calls without retries, one after another, of the channels 1 and 2 with equal weights. */
  function calls(script: Record<string, Outcome>, fields: Omit<Scene, 'script'> = {}) {
    const clock = new HandClock();
    const breakers = breakersAt(clock);
    const candidates = [channelOf(1), channelOf(2)];
    const make = async (count: number) => {
      const places: string[] = [];
      for (let at = 0; at < count; at += 1) {
        const { run, sender } = scene(candidates, { breakers, script, retryTimes: 0, ...fields });
        await run();
        places.push(...sender.places);
      }
      return places;
    };
    return { make, clock, breakers, candidates };
  }
  const timesOf = (places: string[], id: number): number => places.filter((place) => place === String(id)).length;

  it.each(['broken', 'silent', 'late', 'busy'] as const)(
    'is passed over once it was "%s" five times',
    async (outcome) => {
      const { make } = calls({ 1: outcome });
      expect(timesOf(await make(200), 1)).toBe(5);
    },
  );

  it.each(['invalid', 'bad key', 'aborted', 'unsupported', 'words'] as const)(
    'is chosen as ever where the outcome "%s" says nothing of it',
    async (outcome) => {
      const { make } = calls({ 1: outcome });
      expect(timesOf(await make(200), 1)).toBeGreaterThan(20);
    },
  );

  it('is passed over for a channel of lower priority, and by conversations that prefer it', async () => {
    const { make, candidates } = calls({ 1: 'broken' }, { conversation: 'c' });
    candidates.splice(0, 2, ...inOrder(channelOf(1), channelOf(2)));
    expect(await make(8)).toEqual([...'11111222']);
  });

  it('is tried once after the pause, and serves again if that succeeds', async () => {
    const script: Record<string, Outcome> = { 1: 'broken' };
    const { make, clock } = calls(script);
    await make(200);
    clock.at += 10_000;
    expect(timesOf(await make(200), 1)).toBe(1);
    clock.at += 15_000;
    script[1] = 'served';
    expect(timesOf(await make(200), 1)).toBeGreaterThan(20);
  });

  it('is chosen as ever while there is no other', async () => {
    const { make } = calls({ 1: 'broken', 2: 'broken' });
    const places = await make(400);
    expect(places).toHaveLength(400);
    for (const id of [1, 2]) expect(timesOf(places.slice(200), id)).toBeGreaterThan(20);
  });

  it('is still tried after the channels that can not express the request', async () => {
    const { make, candidates } = calls({ 1: 'broken', 2: 'unsupported' });
    candidates[1] = channelOf(2, 1, { type: 14 });
    const places = await make(50);
    expect(timesOf(places, 1)).toBe(50);
  });

  it('serves a call that names it', async () => {
    const { make, candidates } = calls({ 1: 'broken' }, { call: { channelId: 1 } });
    candidates.splice(1);
    expect(await make(8)).toEqual([...'11111111']);
  });

  it('takes no channel from a call that may try all, whatever failed before', async () => {
    const anyOutcome = fc.constantFrom<Outcome>('broken', 'silent', 'busy', 'invalid', 'unsupported', 'served');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ outcome: anyOutcome, priority: fc.integer({ min: 0, max: 2 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.array(fc.record({ id: fc.nat(5), times: fc.integer({ min: 4, max: 6 }), ms: fc.nat(9000) })),
        async (channels, failures) => {
          const clock = new HandClock();
          const breakers = breakersAt(clock);
          const candidates = channels.map(({ priority }, id) => channelOf(id, 1, { priority, type: id + 1 }));
          for (const { id, times, ms } of failures) {
            clock.at += ms;
            const trial = breakers.begin(id);
            for (let time = 0; time < times; time += 1) breakers.failed(channelOf(id), failureAt(id, 'broken'));
            if (trial && times > 5) breakers.end(channelOf(id), trial, failureAt(id, 'broken'));
          }
          const script = Object.fromEntries(channels.map(({ outcome }, id) => [id, outcome]));
          const { run, sender } = scene(candidates, { breakers, script, retryTimes: 20 });
          const result = await run();
          const ends = channels.some(({ outcome }) => outcome === 'served' || outcome === 'invalid');
          expect(result instanceof GivenUp && !ends ? sender.places.length : channels.length).toBe(channels.length);
        },
      ),
    );
  });
});

describe('a round through any channels', () => {
  const anyOutcome = fc.oneof(
    { arbitrary: fc.constantFrom<Outcome>('bad key', 'busy', 'broken', 'silent', 'elsewhere'), weight: 4 },
    { arbitrary: fc.constantFrom<Outcome>('served', ...(Object.keys(outcomes) as Outcome[])), weight: 1 },
  );
  const anyChannel = fc.record({
    keys: fc.integer({ min: 1, max: 4 }),
    priority: fc.integer({ min: 0, max: 2 }),
    type: fc.constantFrom(1, 14, 24),
    keyMode: fc.constantFrom('polling' as const, 'random' as const),
    outcomes: fc.array(anyOutcome, { minLength: 4, maxLength: 4 }),
  });
  const anyRound = fc.record({
    channels: fc.array(anyChannel, { minLength: 1, maxLength: 25 }),
    retryTimes: fc.integer({ min: 0, max: 12 }),
    isNamed: fc.boolean(),
    conversation: fc.option(fc.string(), { nil: undefined }),
  });

  it('keeps the rules', async () => {
    await fc.assert(
      fc.asyncProperty(anyRound, async ({ channels, retryTimes, isNamed, conversation }) => {
        const script: Record<string, Outcome> = {};
        const candidates = channels.map(({ keys, outcomes: scripted, ...fields }, id) => {
          scripted.forEach((outcome, at) => (script[keys > 1 ? `${id}/k${at}` : id] ??= outcome));
          return channelOf(id, keys, fields);
        });
        const { run, sender, round } = scene(candidates, {
          ...{ script, retryTimes, call: isNamed ? { channelId: 1 } : {} },
          ...(conversation !== undefined && { conversation }),
        });
        const result = await run();
        const failures = sender.sent.flatMap(({ failure }) => failure ?? []);
        const counted = failures.filter(({ isUnsupported }) => !isUnsupported);
        const last = sender.sent.at(-1);

        expect(new Set(sender.places).size).toBe(sender.places.length);
        const ofKeys = counted.filter(({ attempt }) => ['credential', 'rate-limited'].includes(attempt.class)).length;
        const elsewhere = counted.filter(({ isMadeElsewhere }) => isMadeElsewhere).length;
        const attempts = counted.length + (result instanceof GivenUp ? 0 : 1);
        expect(attempts).toBeLessThanOrEqual(
          (isNamed ? 1 : retryTimes + 1) + Math.min(ofKeys, MORE_KEYS) + Math.min(elsewhere, MORE_ELSEWHERE),
        );
        if (!(result instanceof GivenUp)) {
          expect([result.by, last?.failure]).toEqual([last?.place, undefined]);
          expect(round.attempts).toEqual(counted.map(({ attempt }) => attempt));
          return;
        }
        const decisive = counted.at(-1) ?? failures[0];
        expect(result.failure).toBe(decisive);
        expect(result.channel.id).toBe(decisive?.attempt.channelId);
        const recorded = counted.length > 0 ? counted : failures.slice(0, 1);
        expect(round.attempts).toEqual(recorded.map(({ attempt }) => attempt));
      }),
      { numRuns: 500 },
    );
  });

  it('ends only where it must: no channel is left, or no attempt', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Outcome>('broken', 'silent', 'busy', 'bad key'), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 8 }),
        async (order, retryTimes) => {
          const channels = inOrder(...order.map((_, id) => channelOf(id)));
          const { run, sender } = scene(channels, { script: Object.fromEntries(order.entries()), retryTimes });
          const tried = Math.min(order.length, retryTimes + 1);
          expect(await run()).toMatchObject({ channel: { id: tried - 1 }, hasLeft: false });
          expect(sender.places).toEqual(order.slice(0, tried).map((_, id) => String(id)));
        },
      ),
    );
  });

  it('ends when the client has left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Outcome>('broken', 'silent', 'aborted', 'leaves'), { minLength: 1, maxLength: 8 }),
        async (order) => {
          const channels = inOrder(...order.map((_, id) => channelOf(id)));
          const { run, sender } = scene(channels, { script: Object.fromEntries(order.entries()), retryTimes: 20 });
          const left = order.findIndex((outcome) => outcome === 'aborted' || outcome === 'leaves');
          expect(await run()).toMatchObject({ hasLeft: left >= 0 });
          expect(sender.places).toHaveLength(left < 0 ? order.length : left + 1);
        },
      ),
    );
  });
});
