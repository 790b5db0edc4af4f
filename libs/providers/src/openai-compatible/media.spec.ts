import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';
import { ByteStream } from './byte-stream.js';

const openAi = findProvider(1);
const context = replyContext();
const sse = (...events: object[]): Buffer =>
  Buffer.from(
    events
      .map((event) => `event: ${'type' in event ? String(event.type) : ''}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  );
const picture = (usage?: object) => Buffer.from(JSON.stringify({ created: 1, data: [{ b64_json: 'QQ==' }], usage }));

describe('requests for pictures, speech and verdicts', () => {
  const sent = (name: 'images' | 'speech' | 'moderations', json: JsonObject, model: string, requestedModel = model) => {
    const request = openAi?.[name]?.toUpstream(clientRequest(json), channelTarget({ model, requestedModel }));
    return { url: request?.url, body: JSON.parse(request?.body?.toString() ?? '{}') as object };
  };

  it("go to their own paths with the client's members", () => {
    expect(sent('images', { model: 'dall-e-3', prompt: 'x', style: 'vivid' }, 'dall-e-3')).toEqual({
      url: 'https://api.openai.com/v1/images/generations',
      body: { model: 'dall-e-3', prompt: 'x', style: 'vivid', n: 1, size: '1024x1024', quality: 'standard' },
    });
    expect(sent('speech', { model: 'tts-1', input: 'x' }, 'mine').body).toEqual({ model: 'mine', input: 'x' });
  });

  it('name a model where the client did not, unless the channel names one', () => {
    expect(sent('images', { prompt: 'x' }, 'dall-e').body).toMatchObject({ prompt: 'x', model: 'dall-e-2' });
    expect(sent('images', { prompt: 'x' }, 'own', 'dall-e').body).toMatchObject({ prompt: 'x', model: 'own' });
    expect(sent('moderations', { input: 'x' }, 'text-moderation-stable').body).toMatchObject({
      model: 'text-moderation-latest',
    });
    expect(sent('speech', { input: 'x' }, 'tts-1').body).toEqual({ input: 'x', model: 'tts-1' });
  });

  it.each<[string, JsonObject, object]>([
    ['dall-e', {}, { n: 1, size: '1024x1024' }],
    ['dall-e-3', { n: 0, size: '', quality: null }, { n: 1, size: '1024x1024', quality: 'standard' }],
    ['dall-e-3', { n: 2, size: '1024x1792', quality: 'hd' }, { n: 2, size: '1024x1792', quality: 'hd' }],
    ['dall-e-2', { size: 'empty' }, { n: 1 }],
    ['flux', { n: null, size: null }, { n: 1, size: '1024x1024' }],
    // It has another usual size, and is charged by tokens.
    ['gpt-image-1', {}, { n: 1 }],
  ])('for pictures say what is priced where the client does not: %s %j', (model, asked, written) => {
    expect(sent('images', { model, prompt: 'x', ...asked }, model).body).toEqual({ model, prompt: 'x', ...written });
  });

  it('for pictures at xAI have no members that it refuses', () => {
    const target = channelTarget({ channelType: 48, model: 'grok-2-image' });
    const request = findProvider(48)?.images?.toUpstream(clientRequest({ model: 'grok-2-image', prompt: 'x' }), target);
    expect(JSON.parse(request?.body?.toString() ?? '')).toEqual({ model: 'grok-2-image', prompt: 'x', n: 1 });
  });

  it('are for those types that have them', () => {
    const having = (name: 'images' | 'imageEdits' | 'speech' | 'moderations'): number[] =>
      [1, 3, 6, 8, 14, 20, 27, 31, 35].filter((type) => findProvider(type)?.[name] !== undefined);
    expect(having('images')).toEqual(expect.arrayContaining([1, 3, 6, 8, 20, 31]));
    expect(having('images')).not.toContain(14);
    expect(having('moderations')).not.toContain(27);
    expect(having('speech')).toEqual(having('images').filter((type) => having('speech').includes(type)));
  });
});

describe('replies with pictures', () => {
  const read = (body: Buffer) => openAi?.images?.fromReply(body, context);

  it('tell their tokens, and zero is none', () => {
    const usage = {
      total_tokens: 60,
      input_tokens: 20,
      output_tokens: 40,
      input_tokens_details: { text_tokens: 5, image_tokens: 15 },
    };
    expect(read(picture(usage))?.usage).toMatchObject({ inputTokens: 5, imageInputTokens: 15, outputTokens: 40 });
    expect(read(picture())?.usage).toBeUndefined();
    expect(read(picture({ total_tokens: 0, input_tokens: 0, output_tokens: 0 }))?.usage).toBeUndefined();
  });

  it.each(['{}', '{"data":[]}', '{"data":"x"}', '<html>', '{"error":{"message":"no"}}'])('are none in %s', (body) => {
    expect(read(Buffer.from(body))?.fault).toBeDefined();
  });
});

describe('events', () => {
  const open = (name: 'images' | 'imageEdits' | 'transcriptions', request = {}) => {
    const stream = openAi?.[name]?.openStream?.({ ...context, request });
    if (!stream) throw new Error('there is none');
    return stream;
  };
  const done = {
    type: 'image_generation.completed',
    b64_json: 'QQ==',
    usage: { input_tokens: 2, output_tokens: 9, total_tokens: 11 },
  };

  it.each([[[]], [[1, 7, 30]], [[200]]])(
    'of pictures go through as they are, cut at %j, and the last tells the usage',
    (sizes) => {
      const bytes = sse({ type: 'image_generation.partial_image', b64_json: 'Q' }, done);
      const stream = open('images');
      expect(play(stream, bytes, sizes)).toBe(bytes.toString());
      expect([stream.isComplete, stream.usage()?.outputTokens]).toEqual([true, 9]);
    },
  );

  it.each<['images' | 'imageEdits', unknown]>([
    ['images', 2],
    ['imageEdits', '2'],
  ])('of several pictures end with the last one asked for, and their usages add up: %s', (name, n) => {
    const stream = open(name, { n });
    expect(stream.push(sse(done))?.toString()).toBe(sse(done).toString());
    expect([stream.isDone, stream.usage(), stream.usageSoFar()?.outputTokens]).toEqual([false, undefined, 9]);
    expect(stream.push(sse(done))).toBeUndefined();
    expect([stream.isComplete, stream.usage()?.inputTokens, stream.usage()?.outputTokens]).toEqual([true, 4, 18]);
    expect(stream.lastFrames().toString()).toBe(sse(done).toString());
  });

  it('keep the closing one back, and are cut without it', () => {
    const stream = open('images');
    expect(stream.push(sse(done))).toBeUndefined();
    expect(stream.lastFrames().toString()).toContain('completed');
    const cut = open('images');
    cut.push(sse({ type: 'image_generation.partial_image', b64_json: 'Q' }));
    cut.close();
    expect(cut.isComplete).toBe(false);
  });

  it('of words are counted by what was heard where nothing is told', () => {
    const stream = open('transcriptions');
    stream.push(sse({ type: 'transcript.text.delta', delta: 'one ' }, { type: 'transcript.text.delta', delta: 'two' }));
    stream.push(sse({ type: 'transcript.text.done', text: 'one two' }));
    expect([stream.text().text, stream.usage(), stream.isComplete]).toEqual(['one two', undefined, true]);
  });

  it('end with an error that comes among them', () => {
    const stream = open('images');
    stream.push(sse({ type: 'error', error: { message: 'no more', type: 'server_error', code: 'c' } }));
    expect([stream.fault?.message, stream.isComplete]).toEqual(['no more', false]);
    const told = stream.errorFrames({ message: 'no more', type: 't', code: 'c' }, 'r1').toString();
    expect(told.startsWith('event: error\ndata: {"type":"error","error":{"message":"no more (request id: r1)"')).toBe(
      true,
    );
  });
});

describe('bytes', () => {
  it.each([[[1, 1, 1]], [[3]], [[2, 1]]])(
    'go through whatever their pieces %j, but for the last one before the end',
    (sizes) => {
      const stream = new ByteStream();
      const sent: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        sent.push(stream.push(Buffer.from([7, 8, 9].slice(at, at + size))) ?? Buffer.alloc(0));
        at += size;
      }
      expect([...Buffer.concat(sent)]).toEqual([7, 8]);
      expect(stream.isComplete).toBe(false);
      stream.close();
      expect([stream.isComplete, [...stream.lastFrames()]]).toEqual([true, [9]]);
    },
  );

  it('are none where nothing came', () => {
    const stream = new ByteStream();
    stream.close();
    expect(stream.isComplete).toBe(false);
  });
});
