import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type Person, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import OpenAI from 'openai';
import { eventually, quotaOf, rowOf } from '../support/relay-site.js';

interface Refused {
  status: number;
  code: string;
  message: string;
}

describe('pictures, sound and moderation', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    const models =
      'dall-e,dall-e-2,dall-e-3,gpt-image-1,gpt-image-1-mini,text-moderation-stable,whisper-1,tts-1,gpt-4o-mini-tts,text-davinci-edit-001';
    await testBed.channel({ name: 'first', models, base_url: upstream.url, priority: 5 });
    await testBed.channel({
      name: 'broken',
      models: 'gpt-image-1-mini',
      base_url: `${upstream.url}/~status=503`,
      priority: 9,
    });
    await testBed.channel({ name: 'claude', type: 14, models: 'claude-2.1', base_url: upstream.url });
    const prices = { 'dall-e': 0.016, 'dall-e-2': 0.02, 'dall-e-3': 0.04 };
    await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: JSON.stringify(prices) });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    key = await testBed.token(await testBed.user('painter', 100_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  const idOf = (response: Response): string => response.headers.get('x-oneapi-request-id') ?? '';
  const post = (path: string, body: unknown, own = key): Promise<Response> =>
    fetch(`${testBed.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const refusalOf = async (response: Response): Promise<Refused> => {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return { status: response.status, code: error.code, message: error.message.replace(/ \(request id.*/, '') };
  };
  const lastBody = () => upstream.journal().at(-1)?.body;

  describe('pictures', () => {
    it("answers OpenAI's client, charged by size, quality and number", async () => {
      const { data, response } = await openai.images
        .generate({ model: 'dall-e-3', prompt: 'a toll gate', size: '1024x1792', quality: 'hd' })
        .withResponse();
      expect(data.data?.[0]).toMatchObject({
        url: expect.stringContaining('.png'),
        revised_prompt: expect.any(String),
      });
      expect(lastBody()).toEqual({ model: 'dall-e-3', prompt: 'a toll gate', size: '1024x1792', quality: 'hd' });
      const row = await rowOf(testBed, idOf(response));
      expect([row.type, row.quota, row.prompt_tokens, row.completion_tokens]).toEqual([2, 60_000, 1, 0]);
      expect(row.content).toBe('模型价格 0.04，分组倍率 1.00, 大小 1024x1792, 品质 hd');
      expect(row.other).toMatchObject({ usage_source: 'requested', outcome: 'completed' });
    });

    it('asks for the usual model where none is named, and counts every picture', async () => {
      const response = await post('/v1/images/generations', { prompt: 'two gates', n: 2, size: '256x256' });
      expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(2);
      expect(lastBody()).toEqual({ prompt: 'two gates', n: 2, size: '256x256', model: 'dall-e-2' });
      const row = await rowOf(testBed, idOf(response));
      // 0.016 · 0.4 · 2 USD
      expect([row.model_name, row.quota]).toEqual(['dall-e', 6400]);
    });

    it('charges tokens where the upstream tells them, and their estimate where it does not', async () => {
      const ask = {
        model: 'gpt-image-1',
        prompt: 'a gate in mist',
        quality: 'high',
        background: 'transparent',
      } as const;
      const told = await openai.images.generate({ ...ask, size: '1024x1024' }).withResponse();
      expect(told.data.data?.[0]?.b64_json).toBeTruthy();
      const row = await rowOf(testBed, idOf(told.response));
      // (4 + 4160 · 8) · 2.5
      expect([row.quota, row.prompt_tokens, row.completion_tokens]).toEqual([83_210, 4, 4160]);
      expect(row.content).toContain('大小 1024x1024, 品质 high');
      upstream.control({ usage: 'zero' });
      const untold = await openai.images.generate({ ...ask, quality: 'low' }).withResponse();
      const estimate = await rowOf(testBed, idOf(untold.response));
      expect([estimate.completion_tokens, estimate.other.usage_source]).toEqual([272, 'estimated']);
    });

    it.each([
      ['no prompt', { model: 'dall-e-3' }, [400, 'invalid_image_request', 'prompt is required']],
      [
        'a size the model has not',
        { model: 'dall-e-3', prompt: 'x', size: '256x256' },
        [
          400,
          'invalid_image_request',
          'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024',
        ],
      ],
      [
        'a multiplication sign',
        { model: 'dall-e-2', prompt: 'x', size: '256×256' },
        [400, 'invalid_image_request', expect.stringContaining("use 'x' instead of the multiplication sign '×'")],
      ],
      [
        'too many',
        { model: 'dall-e-2', prompt: 'x', n: 11 },
        [400, 'invalid_image_request', 'n must be between 1 and 10'],
      ],
      [
        'less than none',
        { model: 'dall-e-3', prompt: 'x', n: -1 },
        [400, 'invalid_image_request', 'n must be between 1 and 10'],
      ],
      [
        'a number beyond all',
        { model: 'dall-e-3', prompt: 'x', n: 1e300 },
        [400, 'invalid_image_request', 'n is invalid'],
      ],
      [
        'a quality that nobody has',
        { model: 'dall-e-3', prompt: 'x', quality: 'ultra' },
        [400, 'invalid_image_request', 'quality must be one of standard, hd'],
      ],
      ['a number in words', { model: 'dall-e-2', prompt: 'x', n: '3' }, [400, 'invalid_image_request', 'n is invalid']],
      ['a channel without it', { model: 'claude-2.1', prompt: 'x' }, [400, 'invalid_api_type', expect.any(String)]],
      ['an unknown model', { model: 'nobody', prompt: 'x' }, [503, 'no_available_channel', expect.any(String)]],
    ])('are refused before anybody is asked: %s', async (_, body, [status, code, message]) => {
      expect(await refusalOf(await post('/v1/images/generations', body))).toEqual({ status, code, message });
      expect(upstream.journal()).toEqual([]);
    });

    it('are refused to whoever cannot pay for all of them, and cost nothing when they fail', async () => {
      const poor = await testBed.user('poor painter', 59_999);
      const own = await testBed.token(poor);
      const ask = { model: 'dall-e-3', prompt: 'x', n: 3 };
      expect(await refusalOf(await post('/v1/images/generations', ask, own))).toEqual({
        status: 403,
        code: 'insufficient_user_quota',
        message: expect.stringMatching(
          /^image pre-consumed quota failed, user quota: ＄0.119998, need quota: ＄0.120000$/,
        ),
      });
      expect(upstream.journal()).toEqual([]);
      upstream.failWith(400, 'content_policy_violation');
      const failed = await post('/v1/images/generations', { ...ask, n: 1 }, own);
      expect(await refusalOf(failed)).toMatchObject({ status: 400, code: 'content_policy_violation' });
      const row = await rowOf(testBed, idOf(failed));
      expect([row.type, row.quota]).toEqual([5, 0]);
      upstream.reset();
      // The held quota is available again.
      expect((await post('/v1/images/generations', { ...ask, n: 2 }, own)).status).toBe(200);
      expect(
        await eventually(
          () => quotaOf(testBed, poor.id),
          (quota) => quota < 59_999,
        ),
      ).toBe(19_999);
    });
  });

  describe('pictures out of pictures', () => {
    const picture = (name = 'a.png'): File => new File([new Uint8Array(5000).fill(7)], name, { type: 'image/png' });
    const form = (fields: Record<string, string | File>): FormData => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      return body;
    };
    const send = (body: FormData | string): Promise<Response> =>
      fetch(`${testBed.url}/v1/images/edits`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });

    it("take several pictures and a mask of OpenAI's client, charged by tokens", async () => {
      const { data, response } = await openai.images
        .edit({
          model: 'gpt-image-1',
          image: [picture('a.png'), picture('b.png')],
          mask: picture('mask.png'),
          prompt: 'add a gate',
          quality: 'low',
          n: 2,
        })
        .withResponse();
      expect(data.data).toHaveLength(2);
      const sent = lastBody() as Record<string, unknown>;
      expect(sent).toMatchObject({ model: 'gpt-image-1', prompt: 'add a gate', quality: 'low', n: '2' });
      expect(sent['image[]']).toEqual(
        ['a.png', 'b.png'].map((filename) => ({ filename, type: 'image/png', bytes: 5000 })),
      );
      expect(sent.mask).toMatchObject({ filename: 'mask.png', bytes: 5000 });
      const row = await rowOf(testBed, idOf(response));
      // (3 + 3 · 323 · 2 + 544 · 8) · 2.5
      expect([row.prompt_tokens, row.completion_tokens, row.quota]).toEqual([972, 544, 15_733]);
      expect(row.other).toMatchObject({ image: true, image_ratio: 2, image_output: 969 });
    });

    it('ask for the usual model where none is named, and another channel with the same pictures', async () => {
      const response = await send(form({ image: picture(), prompt: 'again' }));
      expect(response.status).toBe(200);
      expect(lastBody()).toMatchObject({ model: 'gpt-image-1', image: { bytes: 5000 }, prompt: 'again' });
      const other = await send(form({ image: picture(), prompt: 'again', model: 'gpt-image-1-mini' }));
      expect(lastBody()).toMatchObject({ model: 'gpt-image-1-mini', image: { bytes: 5000 }, prompt: 'again' });
      expect((await rowOf(testBed, idOf(other))).other.admin_info.use_channel).toHaveLength(2);
    });

    it('come as events where the client asks for them', async () => {
      const events = await openai.images.edit({ image: picture(), prompt: 'x', stream: true, partial_images: 1 });
      const types: string[] = [];
      for await (const event of events) types.push(event.type);
      expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed']);
      const ask = { model: 'gpt-image-1', prompt: 'x y', stream: true, quality: 'low' } as const;
      const { data: drawn, response } = await openai.images.generate(ask).withResponse();
      for await (const event of drawn) types.push(event.type);
      expect(types.at(-1)).toBe('image_generation.completed');
      expect(await rowOf(testBed, idOf(response))).toMatchObject({
        is_stream: true,
        prompt_tokens: 2,
        completion_tokens: 272,
      });
    });

    it.each([
      ['no form', '{}', 'the body must be multipart/form-data with a picture'],
      ['no picture', form({ prompt: 'x' }), 'field image is required'],
      ['no prompt', form({ image: picture() }), 'prompt is required'],
      ['a number in words', form({ image: picture(), prompt: 'x', n: 'two' }), 'n is invalid'],
      ['too many', form({ image: picture(), prompt: 'x', n: '11' }), 'n must be between 1 and 10'],
      ['none', form({ image: picture(), prompt: 'x', n: '0' }), 'n must be between 1 and 10'],
    ])('are refused before anybody is asked: %s', async (_, body, message) => {
      expect(await refusalOf(await send(body))).toEqual({ status: 400, code: 'invalid_image_request', message });
      expect(upstream.journal()).toEqual([]);
    });
  });

  describe('speech', () => {
    it('is passed on as it comes, charged by its characters', async () => {
      upstream.control({ tokens: 40, tokensPerSecond: 100 });
      const { data, response } = await openai.audio.speech
        .create({ model: 'tts-1', voice: 'alloy', input: '你好 gate', response_format: 'wav' })
        .withResponse();
      expect(response.headers.get('content-type')).toBe('audio/wav');
      const reader = data.body?.getReader();
      const first = await reader?.read();
      expect(upstream.journal()[0]?.isFinished).toBe(false);
      let bytes = first?.value?.length ?? 0;
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
        bytes += piece.value.length;
      expect(bytes).toBe(40_000);
      const row = await rowOf(testBed, idOf(response));
      // 7 characters at 7.5 units
      expect([row.prompt_tokens, row.completion_tokens, row.quota]).toEqual([7, 0, 53]);
      expect([row.is_stream, row.other.usage_source]).toEqual([false, 'requested']);
    });

    it('costs the same as events, and the tokens of its text for another model', async () => {
      const events = await post('/v1/audio/speech', { model: 'tts-1', voice: 'v', input: 'abc', stream_format: 'sse' });
      expect(await events.text()).toMatch(/speech\.audio\.delta[\s\S]*speech\.audio\.done/);
      expect((await rowOf(testBed, idOf(events))).quota).toBe(23);
      const other = await post('/v1/audio/speech', { model: 'gpt-4o-mini-tts', voice: 'v', input: 'one two three' });
      expect((await other.arrayBuffer()).byteLength).toBe(10_000);
      const row = await rowOf(testBed, idOf(other));
      expect([row.prompt_tokens, row.other.usage_source]).toEqual([3, 'estimated']);
    });

    it('is cut where its upstream breaks, and says so in its row', async () => {
      upstream.control({ tokens: 20, cutAfter: 5, tokensPerSecond: 200 });
      const response = await post('/v1/audio/speech', { model: 'tts-1', voice: 'v', input: 'abc' });
      await expect(response.arrayBuffer()).rejects.toThrow();
      const row = await rowOf(testBed, idOf(response));
      expect([row.other.outcome, row.quota]).toEqual(['upstream_cut', 23]);
    });

    it('is paid for by whoever leaves, for what was read out', async () => {
      upstream.control({ tokens: 500, tokensPerSecond: 50 });
      const leaving = new AbortController();
      const response = await fetch(`${testBed.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tts-1', voice: 'v', input: 'abcd' }),
        signal: leaving.signal,
      });
      await response.body?.getReader().read();
      leaving.abort();
      const row = await rowOf(testBed, idOf(response));
      expect([row.other.outcome, row.quota]).toEqual(['client_abort', 30]);
      expect(await eventually(() => Promise.resolve(upstream.journal()[0]?.clientAborted), Boolean)).toBe(true);
    });

    it.each([
      ['no input', { model: 'tts-1' }, 'field input is required'],
      ['an unknown kind of stream', { model: 'tts-1', input: 'x', stream_format: 'raw' }, 'stream_format is invalid'],
    ])('is refused before anybody is asked: %s', async (_, body, message) => {
      expect(await refusalOf(await post('/v1/audio/speech', body))).toEqual({
        status: 400,
        code: 'invalid_audio_request',
        message,
      });
      expect(upstream.journal()).toEqual([]);
    });

    it('is no sound where an error comes in its place', async () => {
      upstream.control({ errorIn200: true });
      const response = await post('/v1/audio/speech', { model: 'tts-1', input: 'x', voice: 'v' });
      expect([response.status >= 400, response.headers.get('content-type')]).toEqual([
        true,
        expect.stringContaining('json'),
      ]);
      expect((await rowOf(testBed, idOf(response))).type).toBe(5);
    });
  });

  describe('moderation', () => {
    it("answers OpenAI's client by the usual model, charged by the tokens of the text", async () => {
      const { data, response } = await openai.moderations
        .create({ input: ['a quiet day', 'sheer violence'] })
        .withResponse();
      expect(data.results.map(({ flagged }) => flagged)).toEqual([false, true]);
      expect(lastBody()).toMatchObject({ model: 'text-moderation-latest' });
      const row = await rowOf(testBed, idOf(response));
      expect([row.model_name, row.completion_tokens, row.other.usage_source]).toEqual([
        'text-moderation-stable',
        0,
        'estimated',
      ]);
      expect(row.prompt_tokens).toBeGreaterThan(4);
      expect(row.quota).toBe(1);
    });

    it('is refused without a text', async () => {
      const refused = await refusalOf(await post('/v1/moderations', { input: [] }));
      expect([refused.code, refused.message]).toEqual(['invalid_text_request', 'field input is required']);
    });
  });

  describe('edits', () => {
    it('change a text, charged as a completion', async () => {
      const ask = { model: 'text-davinci-edit-001', input: 'a gate', instruction: 'make it two' };
      const response = await post('/v1/edits', ask);
      expect(await response.json()).toMatchObject({
        object: 'edit',
        choices: [{ index: 0, text: expect.any(String) }],
      });
      const row = await rowOf(testBed, idOf(response));
      expect([row.prompt_tokens, row.completion_tokens, row.type]).toEqual([5, 10, 2]);
    });

    it('are refused without an instruction', async () => {
      const refused = await refusalOf(await post('/v1/edits', { model: 'text-davinci-edit-001' }));
      expect([refused.code, refused.message]).toEqual(['invalid_text_request', 'field instruction is required']);
    });
  });

  describe('the playground', () => {
    const asked = async (path: string, body: string | FormData): Promise<Response> => {
      const person = await painter;
      return fetch(`${testBed.url}${path}`, {
        method: 'POST',
        headers: {
          'new-api-user': String(person.id),
          cookie: person.cookie,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        body,
      });
    };
    let painter: Promise<Person>;
    beforeAll(() => {
      painter = testBed.user('player', 1_000_000);
    });

    it('makes pictures and sound, in the group that is asked for', async () => {
      const drawn = await asked(
        '/pg/images/generations',
        JSON.stringify({ model: 'dall-e-2', prompt: 'x', group: 'default' }),
      );
      expect(((await drawn.json()) as { data: unknown[] }).data).toHaveLength(1);
      expect(lastBody()).toEqual({ model: 'dall-e-2', prompt: 'x' });
      const row = await rowOf(testBed, idOf(drawn));
      expect([row.quota, row.token_name]).toEqual([10_000, 'playground-default']);
      const heard = await asked('/pg/audio/speech', JSON.stringify({ model: 'tts-1', input: 'abc', voice: 'alloy' }));
      expect((await heard.arrayBuffer()).byteLength).toBe(10_000);
      const foreign = await asked(
        '/pg/images/generations',
        JSON.stringify({ model: 'dall-e-2', prompt: 'x', group: 'no' }),
      );
      expect(await refusalOf(foreign)).toMatchObject({ status: 403, code: 'group_not_allowed' });
    });

    it('writes down what is said', async () => {
      const form = new FormData();
      form.append('model', 'whisper-1');
      form.append('file', new File([new Uint8Array(16_000)], 'a.mp3', { type: 'audio/mpeg' }));
      const written = await asked('/pg/audio/transcriptions?group=default', form);
      expect(await written.json()).toMatchObject({ text: expect.stringContaining('w1') });
      expect((await rowOf(testBed, idOf(written))).token_name).toBe('playground-default');
    });

    it('is for those who are signed in', async () => {
      expect((await fetch(`${testBed.url}/pg/audio/speech`, { method: 'POST', body: '{}' })).status).toBe(401);
    });
  });
});
