import { describe, expect, it } from '@jest/globals';
import { completionTokensOf, type Usage } from '@tollgate/contracts';
import fc from 'fast-check';
import { asRequested, believedOf, isPlausible, usageLimits } from './plausible.js';
import type { RequestBound } from './bound.js';
import { requestBound } from './request-bound.js';

const bound = (fields: Partial<RequestBound> = {}): RequestBound => ({
  prompt: { textTokens: 100, imageTokens: 0, audioTokens: 0 },
  choices: 1,
  limit: 0,
  maximum: 16_384,
  minimum: 1,
  predicted: 0,
  ...fields,
});
/** A WAV header: one channel, 16 bits, 8000 samples a second. */
const wav = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WAVEfmt '),
  Buffer.from([...[16, 0, 0, 0, 1, 0, 1, 0], ...[0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0], ...[2, 0, 16, 0]]),
]);
const limits = (fields: Partial<RequestBound> = {}, receivedBytes = 200) =>
  usageLimits(bound(fields), { addedBytes: 0, receivedBytes });
const usage = (fields: Partial<Usage> = {}): Usage => ({
  semantics: 'openai',
  inputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 5,
  ...fields,
});
const count = fc.nat({ max: 10_000 });
const counts = fc.record({
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  imageInputTokens: count,
  audioInputTokens: count,
  audioOutputTokens: count,
});

describe('a stated usage', () => {
  it('accepts a length of sound that its size allows, whatever its header says', () => {
    const sound = { head: wav, mostBytes: 750 * 60 * 60, isComplete: true };
    const hour = requestBound({ json: {}, size: 0, endpoint: 'transcriptions', models: ['whisper-1'], sound });
    const stated = usage({ inputTokens: 60_000, outputTokens: 0 });
    expect(hour.prompt.audioTokens).toBeLessThan(30_000);
    expect(isPlausible(stated, usageLimits(hour, { addedBytes: 0, receivedBytes: 9 }))).toBe(true);
    const more = usage({ inputTokens: 66_500, outputTokens: 0 });
    expect(isPlausible(more, usageLimits(hour, { addedBytes: 0, receivedBytes: 9 }))).toBe(false);
  });

  it('counts writes to a one-hour cache as ordinary ones where no hold covers them', () => {
    const stated = usage({ cacheWriteTokens: 50, cacheWriteHourTokens: 40 });
    expect(asRequested(stated, bound())).toEqual(usage({ cacheWriteTokens: 50 }));
    expect(asRequested(stated, bound({ prompt: { ...bound().prompt, hourCache: true } }))).toEqual(stated);
  });
});

describe('isPlausible', () => {
  it('rejects a thousand million tokens for two letters', () => {
    expect(isPlausible(usage(), limits())).toBe(true);
    expect(isPlausible(usage({ outputTokens: 1e9 }), limits())).toBe(false);
    expect(isPlausible(usage({ inputTokens: 1e9 }), limits())).toBe(false);
    expect(isPlausible(usage({ cacheReadTokens: 1e9 }), limits())).toBe(false);
  });

  it.each([Infinity, NaN, -1, 1.5, 2 ** 53])('rejects a usage that contains %p', (bad) => {
    for (const name of Object.keys(usage({ imageInputTokens: 0, reasoningTokens: 0 })).filter(
      (key) => key !== 'semantics',
    ))
      expect([name, isPlausible(usage({ [name]: bad }), limits())]).toEqual([name, false]);
  });

  it('allows hidden reasoning, up to the limit of the client, the model or the relay', () => {
    const spent = (outputTokens: number, allowed: ReturnType<typeof limits>): boolean =>
      isPlausible(usage({ outputTokens }), allowed);
    expect(spent(16_384, limits())).toBe(true);
    expect(spent(16_384, limits({ limit: 100 }))).toBe(false);
    expect(spent(300, limits({ limit: 100 }))).toBe(true);
    expect(spent(500, limits({ limit: 100, choices: 3 }))).toBe(true);
    const told = usageLimits(bound(), { addedBytes: 0, receivedBytes: 200, outputLimit: 50 });
    expect([spent(250, told), spent(251, told)]).toEqual([true, false]);
  });

  it('allows no output of an embedding, however large the reply', () => {
    const allowed = limits({ maximum: 0 }, 100_000);
    expect(isPlausible(usage({ outputTokens: 0 }), allowed)).toBe(true);
    expect(isPlausible(usage({ outputTokens: 1 }), allowed)).toBe(false);
  });

  it('counts media and what the channel adds', () => {
    const seen = { textTokens: 100, imageTokens: 5000, audioTokens: 500 };
    expect(isPlausible(usage({ imageInputTokens: 5000 }), limits({ prompt: seen }))).toBe(true);
    const added = usageLimits(bound(), { addedBytes: 9000, receivedBytes: 200 });
    expect(isPlausible(usage({ inputTokens: 9000 }), added)).toBe(true);
  });

  it('allows no sound in a text, except where sound has a price of its own', () => {
    const heard = (prompt: RequestBound['prompt'], hears = false): boolean =>
      isPlausible(
        usage({ audioInputTokens: 90 }),
        usageLimits(bound({ prompt }), { addedBytes: 0, receivedBytes: 200, pricesSound: hears }),
      );
    expect(heard({ textTokens: 1000, imageTokens: 0, audioTokens: 0 })).toBe(false);
    expect(heard({ textTokens: 1000, imageTokens: 0, audioTokens: 90 })).toBe(true);
    expect(heard({ textTokens: 1000, imageTokens: 0, audioTokens: 0 }, true)).toBe(true);
  });

  it('allows words that a provider puts before the prompt, cached or spoken', () => {
    const kept = usage({ semantics: 'anthropic', cacheReadTokens: 1000, cacheWriteTokens: 500, outputTokens: 20 });
    expect(isPlausible(kept, limits({ limit: 50 }))).toBe(true);
    const spoken = usage({ inputTokens: 100, audioInputTokens: 200, outputTokens: 50, audioOutputTokens: 30 });
    expect(isPlausible(spoken, usageLimits(bound(), { addedBytes: 0, receivedBytes: 200, pricesSound: true }))).toBe(
      true,
    );
    expect(isPlausible(usage({ inputTokens: 100 + 4097 }), limits())).toBe(false);
  });

  it('allows a whole context window for media given by URL, and for an agent', () => {
    const remote = { tokens: 50_000, isHeard: false };
    expect(isPlausible(usage({ inputTokens: 54_000 }), limits({ remote }))).toBe(true);
    expect(isPlausible(usage({ inputTokens: 55_000 }), limits({ remote }))).toBe(false);
    const heard = usage({ inputTokens: 0, audioInputTokens: 40_000 });
    expect(isPlausible(heard, limits({ remote }))).toBe(false);
    expect(isPlausible(heard, limits({ remote: { ...remote, isHeard: true } }))).toBe(true);
    const agent = limits({ ownContext: 1_000_000, limit: 10 });
    expect(isPlausible(usage({ inputTokens: 1_000_000, outputTokens: 16_000 }), agent)).toBe(true);
    expect(isPlausible(usage({ inputTokens: 1_000_000 }), limits({ limit: 10 }))).toBe(false);
  });

  it('never accepts more than the request and the bytes received allow', () => {
    fc.assert(
      fc.property(
        counts,
        fc.record({
          text: count,
          received: count,
          limit: fc.nat({ max: 5000 }),
          choices: fc.integer({ min: 1, max: 4 }),
        }),
        (stated, { text, received, limit, choices }) => {
          const request = bound({
            prompt: { textTokens: text, imageTokens: 0, audioTokens: 0 },
            limit,
            choices,
            maximum: 4096,
          });
          const allowed = usageLimits(request, { addedBytes: 0, receivedBytes: received });
          const claimed = usage(stated);
          const prompt =
            claimed.inputTokens +
            claimed.cacheReadTokens +
            claimed.cacheWriteTokens +
            (claimed.imageInputTokens ?? 0) +
            (claimed.audioInputTokens ?? 0);
          const believed = isPlausible(claimed, allowed);
          if (believed) {
            expect(prompt).toBeLessThanOrEqual(text + 4096);
            expect(completionTokensOf(claimed)).toBeLessThanOrEqual(received + choices * (limit || 4096));
          } else
            expect(
              prompt > allowed.prompt ||
                completionTokensOf(claimed) > allowed.output ||
                (claimed.audioInputTokens ?? 0) > allowed.audio,
            ).toBe(true);
        },
      ),
    );
  });

  it('accepts every true usage: no more tokens than bytes', () => {
    fc.assert(
      fc.property(count, count, fc.nat(), fc.nat(), (sent, received, prompt, output) => {
        const request = bound({ prompt: { textTokens: sent, imageTokens: 0, audioTokens: 0 } });
        const honest = usage({ inputTokens: Math.min(prompt, sent), outputTokens: Math.min(output, received) });
        expect(isPlausible(honest, usageLimits(request, { addedBytes: 0, receivedBytes: received }))).toBe(true);
      }),
    );
  });
});

describe('believedOf', () => {
  it('charges the plausible part of an implausible usage', () => {
    expect(believedOf(usage(), limits())).toEqual({ usage: usage(), isCut: false });
    // A provider put some 20 000 tokens before a hundred bytes.
    expect(believedOf(usage({ inputTokens: 20_000 }), limits())).toEqual({
      usage: usage({ inputTokens: 100 + 4096 }),
      isCut: true,
    });
    // Hidden reasoning exceeded the limit of 100 tokens.
    const cut = believedOf(usage({ outputTokens: 8000, reasoningTokens: 4000 }), limits({ limit: 100 }));
    expect(cut).toEqual({ usage: usage({ outputTokens: 300, reasoningTokens: 150 }), isCut: true });
    expect(believedOf(usage({ outputTokens: 40 }), limits({ maximum: 0 }))?.usage.outputTokens).toBe(0);
  });

  it('charges an agent that reads for long by the largest context, rather than by our own count', () => {
    const agent = limits({ ownContext: 1_050_000 });
    const { usage: charged, isCut } = believedOf(usage({ inputTokens: 5_000_000 }), agent) ?? {};
    expect([charged?.inputTokens, isCut]).toEqual([agent.prompt, true]);
  });

  it('cuts every kind of prompt tokens in proportion, so that cached ones stay cheap', () => {
    const stated = usage({
      inputTokens: 1000,
      cacheReadTokens: 39_000,
      cacheWriteTokens: 2000,
      cacheWriteHourTokens: 1000,
    });
    expect(believedOf(stated, limits({ prompt: { textTokens: 104, imageTokens: 0, audioTokens: 0 } }))?.usage).toEqual(
      usage({ inputTokens: 100, cacheReadTokens: 3900, cacheWriteTokens: 200, cacheWriteHourTokens: 100 }),
    );
  });

  it('counts sound that was not sent as text', () => {
    expect(believedOf(usage({ inputTokens: 10, audioInputTokens: 90 }), limits())).toEqual({
      usage: usage({ inputTokens: 100 }),
      isCut: true,
    });
  });

  it.each<Partial<Usage>>([
    { inputTokens: 1e9 },
    { outputTokens: 1e9 },
    { cacheReadTokens: 2 ** 53 },
    { outputTokens: -1 },
    { inputTokens: NaN },
  ])('makes nothing of numbers that no model could have used: %p', (lie) => {
    expect(believedOf(usage(lie), limits())).toBeUndefined();
  });

  it('never charges more than is plausible, nor more than was stated', () => {
    const sum = (counted: Usage): number =>
      counted.inputTokens +
      counted.cacheReadTokens +
      counted.cacheWriteTokens +
      (counted.imageInputTokens ?? 0) +
      (counted.audioInputTokens ?? 0);
    fc.assert(
      fc.property(counts, count, count, fc.nat({ max: 5000 }), (stated, textTokens, received, limit) => {
        const request = bound({ prompt: { textTokens, imageTokens: 0, audioTokens: 0 }, limit, maximum: 4096 });
        const allowed = usageLimits(request, { addedBytes: 0, receivedBytes: received });
        const claimed = usage(stated);
        const believed = believedOf(claimed, allowed)?.usage ?? usage();
        expect(isPlausible(believed, allowed)).toBe(true);
        expect(sum(believed)).toBeLessThanOrEqual(sum(claimed));
        expect(completionTokensOf(believed)).toBeLessThanOrEqual(completionTokensOf(claimed));
        // Rounding takes less than one token of each kind.
        expect(sum(believed)).toBeGreaterThan(Math.min(sum(claimed), allowed.prompt) - 5);
      }),
    );
  });
});
