import { describe, expect, it } from '@jest/globals';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { type Host, Logger, Metrics, readEnv } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import type { ReplyStream } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import type { Try } from '../upstream/try.js';
import type { TokenCounter } from '../usage/token-counter.js';
import { picturesBound } from '../usage/pictures.js';
import type { Answer } from './counted.js';
import { UsageCounter } from './usage-counter.js';

const host = (env: NodeJS.ProcessEnv = {}): Host => ({ env: readEnv(env) }) as unknown as Host;

describe('writes to a cache of an hour', () => {
  const stated = { ...noUsage, cacheWriteTokens: 50, cacheWriteHourTokens: 40 };
  const price = { modelRatio: 1, completionRatio: 1, groupRatio: 1, cacheRatio: 1, cacheCreationRatio: 1.25 };
  const asking = (hourCache: boolean) =>
    ({
      call: { bytes: Buffer.alloc(100) },
      request: {},
      granted: {
        bound: {
          prompt: { textTokens: 100, imageTokens: 0, audioTokens: 0, hourCache },
          choices: 1,
          limit: 0,
          maximum: 9,
          predicted: 0,
        },
        terms: { price: { ...price, modelPrice: -1, quotaPerUnit: 500_000 } },
      },
    }) as unknown as Try;

  it.each([
    [true, 40],
    [false, undefined],
  ])('are charged as such only if they were asked for and so held (%p)', async (isAsked, expected) => {
    const counter = new UsageCounter({} as TokenCounter, Logger.root('silent'), host(), new Metrics('relay'));
    const { usage } = await counter.measure(asking(isAsked), {
      stated,
      received: 10,
      text: () => ({ text: '', droppedBytes: 0, toolCalls: 0 }),
    });
    expect([usage.cacheWriteTokens, usage.cacheWriteHourTokens]).toEqual([50, expected]);
  });
});

describe('the interim record of a running stream, booked only if the process dies', () => {
  const tokens = {
    count: (text: string) => Promise.resolve(countTokens(text)),
    countAside: (read: () => readonly string[]) => Promise.resolve(read().map((text) => countTokens(text))),
  } as unknown as TokenCounter;
  const ENGLISH = 'The quick brown fox considers, with some hesitation, whether jumping over lazy dogs is worthwhile. ';
  const CHINESE = '计费系统在进程被杀死之后，不应当向用户收取超过其实际收到内容的费用。';
  const asking = (prompt: string, policy = 'stop'): Try => {
    const json = { messages: [{ role: 'user', content: prompt }] };
    return {
      call: { endpoint: 'chat', json, bytes: Buffer.from(JSON.stringify(json)), model: 'gpt-4o', user: { id: 1 } },
      target: { model: 'gpt-4o', channelType: 1 },
      departure: { policy },
      request: {},
      granted: { bound: { choices: 1, prompt: {} } },
    } as unknown as Try;
  };
  /** A stream with this text so far, of an upstream that states no usage. */
  const running = (said: { text: string }): ReplyStream =>
    ({
      usage: () => undefined,
      usageSoFar: () => undefined,
      text: () => ({ text: said.text, droppedBytes: 0, toolCalls: 0 }),
    }) as unknown as ReplyStream;
  const counterOf = (): UsageCounter => new UsageCounter(tokens, Logger.root('silent'), host(), new Metrics('relay'));

  it.each([
    ['English', ENGLISH],
    ['Chinese', CHINESE],
  ])('states no more than a client pays that leaves, and hardly less: %s', async (_, sentence) => {
    const counter = counterOf();
    const current = asking(sentence.repeat(20));
    const said = { text: '' };
    const stream = running(said);
    expect(counter.interim(current, stream, 0).usage.inputTokens).toBeGreaterThan(0);
    for (const character of sentence.repeat(40)) {
      said.text += character;
      if (said.text.length % 37 === 0) await counter.countAside(current, stream, said.text.length);
    }
    const { usage: booked } = counter.interim(current, stream, said.text.length);
    const { usage: paid } = await counterOf().count(current, {
      stated: undefined,
      received: said.text.length,
      text: () => stream.text(),
    });
    expect(booked.inputTokens).toBe(paid.inputTokens);
    expect(booked.outputTokens).toBeLessThanOrEqual(1.01 * paid.outputTokens);
    expect(booked.outputTokens).toBeGreaterThan(0.9 * paid.outputTokens);
  });

  it('states less than a client pays that leaves before anything was counted', async () => {
    const current = asking(ENGLISH.repeat(20));
    const stream = running({ text: '' });
    const { usage: paid } = await counterOf().count(current, {
      stated: undefined,
      received: 0,
      text: () => stream.text(),
    });
    const { inputTokens } = counterOf().interim(current, stream, 0).usage;
    expect(inputTokens).toBeLessThanOrEqual(paid.inputTokens);
    expect(inputTokens).toBeGreaterThan(paid.inputTokens / 2);
  });

  it('costs nothing where only the reported usage is charged', async () => {
    const counter = counterOf();
    const current = asking(ENGLISH, 'reported');
    const stream = running({ text: ENGLISH });
    await counter.countAside(current, stream, 100);
    expect(counter.interim(current, stream, 100).usage).toEqual(noUsage);
  });
});

describe('a picture of a prompt whose upstream states no usage', () => {
  const tokens = { count: () => Promise.resolve(3) } as unknown as TokenCounter;
  const png = Buffer.alloc(40);
  png.write('89504e470d0a1a0a0000000d494844520000080000000400', 'hex');
  const url = `data:image/png;base64,${png.toString('base64')}`;
  const json = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'high' } }] }] };
  const asking = (channelType: number, isStream: boolean): Try =>
    ({
      call: {
        endpoint: 'chat',
        json,
        bytes: Buffer.from(JSON.stringify(json)),
        model: 'gpt-4o',
        user: { id: 1 },
        isStream,
      },
      target: { model: 'gpt-4o', channelType },
      request: {},
      granted: { bound: { choices: 1, prompt: {} } },
    }) as unknown as Try;

  it.each<[string, [number, boolean], NodeJS.ProcessEnv, number]>([
    ['by its size', [1, false], {}, 1105],
    ['as three tiles where none is looked at', [1, true], { GET_MEDIA_TOKEN: 'false' }, 255],
    ['as three tiles of those that see none', [24, true], {}, 255],
    ['as one number, of an answer that comes whole', [1, false], { GET_MEDIA_TOKEN_NOT_STREAM: 'false' }, 255],
    ['by its size, of a stream', [1, true], { GET_MEDIA_TOKEN_NOT_STREAM: 'false' }, 1105],
  ])('counts %s', async (_, [type, isStream], env, imageInputTokens) => {
    const counter = new UsageCounter(tokens, Logger.root('silent'), host(env), new Metrics('relay'));
    // Three tokens of text, seven of the frame of a chat with one message.
    expect(await counter.countPrompt(asking(type, isStream))).toMatchObject({ inputTokens: 10, imageInputTokens });
  });
});

describe('pictures of a model priced by ratio', () => {
  const tokens = { count: () => Promise.resolve(3) } as unknown as TokenCounter;
  const requested = { count: 2, size: '1024x1792', quality: 'high' };
  const price = { modelRatio: 2.5, completionRatio: 8, groupRatio: 1, cacheRatio: 1, cacheCreationRatio: 1.25 };
  const bytes = Buffer.from('{"prompt":"a gate"}');
  const current = {
    call: { endpoint: 'images', json: { prompt: 'a gate' }, bytes, model: 'gpt-image-1', user: { id: 1 } },
    target: { model: 'gpt-image-1', channelType: 1 },
    channel: { id: 1 },
    request: {},
    granted: {
      bound: picturesBound({ json: { ...requested, n: 2 }, size: bytes.length, models: ['gpt-image-1'] }),
      terms: { price: { ...price, modelPrice: -1, quotaPerUnit: 500_000 } },
    },
  } as unknown as Try;
  const counter = new UsageCounter(tokens, Logger.root('silent'), host(), new Metrics('relay'));
  const paid = (answer: Pick<Answer, 'stated' | 'soFar' | 'isCut'>) =>
    counter.count(current, { received: 9, text: () => ({ text: '', droppedBytes: 0, toolCalls: 0 }), ...answer });
  const byNumber = { ...noUsage, inputTokens: 2, pictures: requested };
  const byTokens = { ...requested, byTokens: true };

  it('are charged by their number where no tokens are stated', async () => {
    const counted = await paid({ stated: undefined });
    expect(counted).toEqual({ usage: byNumber, usageSource: 'requested' });
    // 2.5 · 0.0025 USD, twice the price for the size, two of them
    expect(rate(counted.usage, current.granted.terms.price)).toBe(12_500);
  });

  it('cost what their tokens usually do where a stream breaks off before its upstream states any', async () => {
    const counted = await paid({ stated: undefined, isCut: true });
    const usage = { ...byNumber, outputTokens: 2 * 6240, pictures: byTokens };
    expect(counted).toEqual({ usage, usageSource: 'estimated' });
    expect(rate(counted.usage, current.granted.terms.price)).toBeGreaterThan(200_000);
  });

  it('are charged by their number where what is stated cannot be true', async () => {
    const stated = { ...noUsage, outputTokens: 1e12 };
    expect(await paid({ stated })).toEqual({
      usage: byNumber,
      usageSource: 'requested',
      usageDoubt: 'implausible',
    });
  });

  it('are charged by the tokens stated, also of a stream that breaks off after some', async () => {
    const usage = { ...noUsage, inputTokens: 4, outputTokens: 4160 };
    expect((await paid({ stated: usage })).usage).toEqual({ ...usage, pictures: byTokens });
    expect(await paid({ stated: undefined, soFar: usage })).toEqual({
      usage: { ...usage, pictures: byTokens },
      usageSource: 'estimated',
    });
  });

  it('cost their prompt when the client left before the answer', async () => {
    expect(await counter.countPrompt(current)).toEqual({ ...noUsage, inputTokens: 3 });
  });
});
