import { describe, expect, it } from '@jest/globals';
import { channelTarget } from '../../test/factories.js';
import type { ChannelTarget } from '../adapter.js';
import { findProvider } from '../registry.js';
import { RealtimeMeter } from './meter.js';
import { realtimeUsage } from './usage.js';

const frame = (event: object): Buffer => Buffer.from(JSON.stringify(event));
const pcm = (seconds: number): string => Buffer.alloc(48_000 * seconds).toString('base64');

describe('realtimeUsage', () => {
  it('subtracts audio from text tokens, and cached audio from audio tokens', () => {
    const usage = realtimeUsage({
      ...{ total_tokens: 97, input_tokens: 50, output_tokens: 47 },
      input_token_details: {
        ...{ text_tokens: 20, audio_tokens: 30, cached_tokens: 15 },
        cached_tokens_details: { text_tokens: 5, audio_tokens: 10 },
      },
      output_token_details: { text_tokens: 7, audio_tokens: 40 },
    });
    expect(usage).toEqual({
      ...{ semantics: 'openai', inputTokens: 15, cacheReadTokens: 15, cacheWriteTokens: 0 },
      ...{ audioInputTokens: 20, outputTokens: 7, audioOutputTokens: 40 },
    });
  });

  it.each([undefined, null, 'x', {}, { input_tokens: 0, output_tokens: 0 }, { total_tokens: 5 }])(
    'finds none in %j',
    (value) => {
      expect(realtimeUsage(value)).toBeUndefined();
    },
  );
});

describe('RealtimeMeter', () => {
  it('counts sound by its format and text by its bytes since the last answer', () => {
    const meter = new RealtimeMeter();
    meter.received(frame({ type: 'session.created', session: { input_audio_format: 'g711_ulaw' } }));
    meter.sent(frame({ type: 'input_audio_buffer.append', audio: Buffer.alloc(8000 * 6).toString('base64') }));
    meter.received(frame({ type: 'response.created', response: { id: 'r' } }));
    expect(meter.isAnswering).toBe(true);
    meter.received(frame({ type: 'response.output_audio.delta', delta: pcm(6) }));
    meter.received(frame({ type: 'response.output_audio_transcript.delta', delta: 'abcdef' }));
    // 6/60 × 100/0.06 and 6/60 × 200/0.24
    expect(meter.estimate({ input: 1, spoken: 2, tools: 9 })).toMatchObject({
      ...{ inputTokens: 1, outputTokens: 2, audioInputTokens: 167, audioOutputTokens: 83 },
    });
    expect(meter.texts().spoken).toBe('abcdef');
  });

  it('charges tools from the second answer on, and reads again what was said before', () => {
    const meter = new RealtimeMeter();
    meter.sent(frame({ type: 'session.update', session: { instructions: 'abc', tools: [{ name: 'a' }] } }));
    expect(meter.sent(frame({ type: 'response.create' }))).toEqual({ kind: 'asked' });
    expect(meter.estimate({ input: 1, spoken: 0, tools: 4 }).inputTokens).toBe(1);
    meter.settled(
      { semantics: 'openai', inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 },
      { isStated: true },
    );
    expect(meter.nextPrompt()).toEqual({ text: 150, audio: 0 });
    expect(meter.estimate({ input: 1, spoken: 0, tools: 4 }).inputTokens).toBe(1 + 8 + 4);
  });

  it('keeps apart what overlapping answers say', () => {
    const meter = new RealtimeMeter();
    const say = (id: string, delta: string) =>
      meter.received(frame({ type: 'response.text.delta', response_id: id, delta }));
    for (const id of ['a', 'b']) meter.received(frame({ type: 'response.created', response: { id } }));
    say('a', 'first');
    say('b', 'second');
    expect(meter.received(frame({ type: 'response.done', response: { id: 'a' } }))).toMatchObject({ id: 'a' });
    expect(meter.texts('a').spoken).toBe('first');
    meter.settled(meter.estimate({ input: 0, spoken: 1, tools: 0 }, 'a'), { isStated: false }, 'a');
    expect([meter.hasSpoken('a'), meter.hasSpoken(), meter.texts().spoken]).toEqual([false, true, 'second']);
    meter.settled(meter.estimateRoughly(), { isStated: false });
    expect(meter.hasSpoken()).toBe(false);
  });

  it('counts events without an answer id for the answer that began last', () => {
    const meter = new RealtimeMeter();
    meter.received(frame({ type: 'response.created', response: { id: 'a' } }));
    meter.received(frame({ type: 'response.text.delta', delta: 'word' }));
    expect(meter.texts('a').spoken).toBe('word');
    expect(meter.received(frame({ type: 'response.done', response: {} }))).toMatchObject({ id: 'a' });
  });

  it('takes the end of an answer once', () => {
    const meter = new RealtimeMeter();
    const created = frame({ type: 'response.created', response: { id: 'a' } });
    const done = frame({ type: 'response.done', response: { id: 'a', usage: { input_tokens: 1, output_tokens: 1 } } });
    const kinds = [created, done, done, created, done].map((one) => meter.received(one).kind);
    expect(kinds).toEqual(['begun', 'done', 'other', 'begun', 'done']);
    const unannounced = new RealtimeMeter();
    expect([done, done].map((one) => unannounced.received(one).kind)).toEqual(['done', 'other']);
  });

  it('rejects a usage larger than the bytes transferred allow', () => {
    const done = (tokens: number) =>
      new RealtimeMeter().received(
        frame({ type: 'response.done', response: { usage: { input_tokens: tokens, output_tokens: 1 } } }),
      );
    expect(done(1000)).toMatchObject({ kind: 'done', isPlausible: true });
    expect(done(1_000_000)).toMatchObject({ kind: 'done', isPlausible: false });
    expect(done(-1)).toMatchObject({ isPlausible: false });
    expect(done(1e300)).toMatchObject({ isPlausible: false });
  });

  it.each(['', 'no JSON', '[]', '{"type":7}', '{"type":"response.done"}', '{"type":"response.audio.delta","delta":5}'])(
    'is not troubled by %j',
    (text) => {
      const meter = new RealtimeMeter();
      expect(() => [meter.received(Buffer.from(text)), meter.sent(Buffer.from(text))]).not.toThrow();
      expect(meter.estimateRoughly()).toMatchObject({ inputTokens: 0, outputTokens: 0, audioOutputTokens: 0 });
    },
  );
});

describe('the handshake', () => {
  const asked = (type: number, details: Partial<ChannelTarget>, headers: Record<string, string> = {}) =>
    findProvider(type)?.realtime?.toUpstream({ headers }, channelTarget({ channelType: type, ...details }));

  it('goes to the model, with the key where the client has it', () => {
    expect(asked(1, { model: 'gpt-realtime', key: 'sk-1', organization: 'org-1' })).toEqual({
      url: 'wss://api.openai.com/v1/realtime?model=gpt-realtime',
      headers: { authorization: 'Bearer sk-1', 'openai-organization': 'org-1' },
    });
    const offered = { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-client' };
    expect(asked(1, { model: 'gpt-realtime', key: 'sk-1' }, offered)?.headers).toEqual({
      'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-1',
    });
  });

  it('asks for the beta where the client or the model does', () => {
    const beta = { 'openai-beta': 'realtime=v1' };
    expect(asked(1, { model: 'gpt-realtime' }, beta)?.headers).toMatchObject(beta);
    expect(asked(1, { model: 'gpt-4o-realtime-preview' })?.headers).toMatchObject(beta);
    expect(asked(1, { model: 'gpt-realtime' })?.headers).not.toHaveProperty('openai-beta');
  });

  it('goes to the deployment at Azure', () => {
    expect(asked(3, { model: 'gpt-4.1-rt', baseUrl: 'https://me.azure.com/', key: 'k', other: 'v1' })).toEqual({
      url: 'wss://me.azure.com/openai/realtime?deployment=gpt-4.1-rt&api-version=v1',
      headers: { 'api-key': 'k' },
    });
  });

  it('is unknown to the other types', () => {
    expect(asked(14, {})).toBeUndefined();
    expect(asked(24, {})).toBeUndefined();
  });
});
