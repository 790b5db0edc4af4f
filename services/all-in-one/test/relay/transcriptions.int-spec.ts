import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { allServices } from '@tollgate/all-in-one';
import {
  readUntil,
  SPOKEN,
  type SpeechUpstream,
  type TestBed,
  startSpeechUpstream,
  startTestBed,
  wavFile,
} from '@tollgate/testing';
import OpenAI from 'openai';
import { type LogRow, logRows, quotaOf, rowOf } from '../support/relay-site.js';

const MB = 1024 * 1024;
const wav = (bytes: number): Buffer => wavFile(Buffer.alloc(bytes, 7));

/** Frames of 417 or 418 bytes at 128 kbit/s, each with 1152 samples at 44 100 per second. */
const mp3 = (seconds: number): Buffer => {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9064, 0);
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * 44_100) / 1152) + 1 }, () => frame));
};

const BOUNDARY = 'a-boundary';
const field = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileHead = (): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

describe('speech to text', () => {
  let upstream: SpeechUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;
  let channel: number;
  const sound = wav(80_000);

  beforeAll(async () => {
    upstream = await startSpeechUpstream();
    testBed = await startTestBed(allServices);
    const mapping = JSON.stringify({ 'whisper-1': 'whisper-large-v3' });
    channel = await testBed.channel({
      models: 'whisper-1',
      base_url: upstream.url,
      model_mapping: mapping,
      priority: 5,
    });
    await testBed.channel({ name: 'second', models: 'whisper-1', base_url: upstream.url });
    await testBed.channel({ name: 'tokens', models: 'gpt-4o-transcribe', base_url: upstream.url });
    await testBed.channel({ name: 'claude', type: 14, models: 'claude-2.1', base_url: upstream.url });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    key = await testBed.token(await testBed.user('speaker', 100_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    upstream.calls.length = 0;
    upstream.tell('length');
  });

  const file = (): File => new File([new Uint8Array(sound)], 'speech "1".wav', { type: 'audio/wav' });
  const idOf = (response: Response): string => response.headers.get('x-oneapi-request-id') ?? '';
  const post = (body: string | Buffer | FormData, headers: Record<string, string> = {}, path = 'transcriptions') =>
    fetch(`${testBed.url}/v1/audio/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? new Uint8Array(Buffer.from(body)) : body,
    });
  const form = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const errorOf = async (response: Response) => ({
    status: response.status,
    ...((await response.json()) as { error: { code: string; message: string } }).error,
  });

  it('replies to the client of OpenAI, charged by the length of the file, with the model name of the channel', async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ file: file(), model: 'whisper-1', language: 'en', timestamp_granularities: ['word', 'segment'] })
      .withResponse();
    expect(data.text).toBe(SPOKEN);
    const [call] = upstream.calls;
    expect(call).toMatchObject({
      path: '/v1/audio/transcriptions',
      fields: { model: 'whisper-large-v3', language: 'en' },
      file: { type: 'audio/wav' },
      hasLength: true,
    });
    expect(call?.file.bytes.equals(sound)).toBe(true);
    const row: LogRow = await rowOf(testBed, idOf(response));
    // Ten seconds, whatever the upstream reports.
    expect(row).toMatchObject({ type: 2, channel, model_name: 'whisper-1', prompt_tokens: 167, completion_tokens: 0 });
    expect([row.quota, row.is_stream, row.other.usage_source]).toEqual([2505, false, 'requested']);
    expect(row.other.upstream_model_name).toBe('whisper-large-v3');
  });

  it.each([
    ['text', /^Every word was heard\.\n$/, 'text/plain'],
    ['srt', /-->/, 'application/x-subrip'],
    ['vtt', /^WEBVTT/, 'text/vtt'],
    ['verbose_json', /"duration":61\.2/, 'application/json'],
  ])('returns the requested format %s', async (format, words, type) => {
    const body = new FormData();
    body.append('file', file());
    body.append('response_format', format);
    const response = await post(body);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toContain(type);
    expect(await response.text()).toMatch(words);
    const row = await rowOf(testBed, idOf(response));
    // Plain text contains no duration, and subtitles only the end of the last word; the file has 80 000 bytes besides
    // its head.
    const source = format === 'text' ? 'estimated' : 'requested';
    expect([row.prompt_tokens, row.other.usage_source]).toEqual([167, source]);
  });

  it('translates, and charges tokens when the model counts them', async () => {
    upstream.tell('tokens');
    const { data, response } = await openai.audio.translations
      .create({ file: file(), model: 'gpt-4o-transcribe' })
      .withResponse();
    expect([data.text, upstream.calls[0]?.path]).toEqual([SPOKEN, '/v1/audio/translations']);
    const row = await rowOf(testBed, idOf(response));
    expect(row).toMatchObject({ prompt_tokens: 620, completion_tokens: 5 });
  });

  it('streams events on request, charged by the usage in the last one', async () => {
    upstream.tell('tokens');
    const { data: events, response } = await openai.audio.transcriptions
      .create({ file: file(), model: 'gpt-4o-transcribe', stream: true })
      .withResponse();
    const words: string[] = [];
    let whole = '';
    for await (const event of events) {
      if (event.type === 'transcript.text.delta') words.push(event.delta);
      if (event.type === 'transcript.text.done') whole = event.text;
    }
    expect([words.join(''), words.length > 2, whole]).toEqual([SPOKEN, true, SPOKEN]);
    expect(upstream.calls[0]?.fields).toMatchObject({ stream: 'true', model: 'gpt-4o-transcribe' });
    const row = await rowOf(testBed, idOf(response));
    expect(row).toMatchObject({ prompt_tokens: 620, completion_tokens: 5, is_stream: true });
  });

  const packed = async (seconds: number): Promise<[tokens: number, source: string]> => {
    const body = new FormData();
    body.append('file', new File([new Uint8Array(mp3(seconds))], 'a.mp3', { type: 'audio/mpeg' }));
    const row = await rowOf(testBed, idOf(await post(body)));
    return [row.prompt_tokens, row.other.usage_source];
  };

  it('is charged by the length in the file header, or by the reported length when that is much longer', async () => {
    // A little more than a minute, and the upstream reports the same.
    expect(await packed(62)).toEqual([1050, 'requested']);
    expect(await packed(3)).toEqual([1033, 'upstream']);
    upstream.tell('nothing');
    // A little more than three seconds count as four.
    expect(await packed(3)).toEqual([67, 'estimated']);
  });

  it('is charged by an estimate when the length is unknown, and marked', async () => {
    upstream.tell('nothing');
    const { response } = await openai.audio.transcriptions.create({ file: file(), model: 'whisper-1' }).withResponse();
    expect(await rowOf(testBed, idOf(response))).toMatchObject({
      prompt_tokens: 167,
      other: { usage_source: 'estimated' },
    });
  });

  it('forwards a large file while it arrives, once the model is known', async () => {
    const half = Buffer.alloc(4 * MB, 1);
    const reply = new Promise<{ status: number; text: string }>((resolve, reject) => {
      const url = new URL(`${testBed.url}/v1/audio/transcriptions`);
      const length = field('model', 'whisper-1').length + fileHead().length + 2 * half.length + END.length;
      const headers = { authorization: `Bearer ${key}`, ...form, 'content-length': length };
      const outgoing = httpRequest(url, { method: 'POST', headers }, (incoming) => {
        incoming.setEncoding('utf8');
        let text = '';
        incoming.on('data', (piece: string) => (text += piece));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      }).on('error', reject);
      outgoing.write(field('model', 'whisper-1') + fileHead());
      outgoing.write(half);
      // Sends the second half only when the upstream has received nearly all of the first half.
      void readUntil(
        () => Promise.resolve(upstream.received()),
        (bytes) => bytes > 3.5 * MB,
      ).then(() => outgoing.end(Buffer.concat([half, Buffer.from(END)])));
    });
    const { status, text } = await reply;
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ text: SPOKEN })]);
    expect(upstream.calls[0]?.hasLength).toBe(false);
    expect(upstream.calls[0]?.file.bytes.length).toBe(8 * MB);
  });

  it('accepts fields after the file', async () => {
    const body =
      fileHead() + 'x'.repeat(2 * MB) + `\r\n${field('model', 'whisper-1')}${field('language', 'de')}`.slice(0, -2);
    const response = await post(body + END, form);
    expect(response.status).toBe(200);
    expect(upstream.calls[0]?.fields).toEqual({ model: 'whisper-large-v3', language: 'de' });
    const early =
      field('model', 'whisper-1') + fileHead() + 'x'.repeat(2 * MB) + `\r\n${field('language', 'fr').slice(0, -2)}`;
    expect((await post(early + END, form)).status).toBe(200);
    expect(upstream.calls[1]?.fields).toEqual({ model: 'whisper-large-v3', language: 'fr' });
    const calls = upstream.calls.length;
    const late = await post(early.replace('language', 'stream').replace('fr', 'true') + END, form);
    expect(await errorOf(late)).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^field stream is invalid/),
    });
    expect(upstream.calls).toHaveLength(calls);
  });

  it('sends the same bytes to the next channel', async () => {
    upstream.refuseNext(503);
    const { data, response } = await openai.audio.transcriptions
      .create({ file: file(), model: 'whisper-1' })
      .withResponse();
    expect(data.text).toBe(SPOKEN);
    expect(upstream.calls[0]?.file.bytes.equals(sound)).toBe(true);
    expect(upstream.calls[0]?.fields.model).toBe('whisper-1');
    expect((await rowOf(testBed, idOf(response))).other.admin_info.use_channel).toHaveLength(2);
  });

  it.each([
    ['no form', '{}', { 'content-type': 'application/json' }, [400, 'invalid_audio_request']],
    [
      'no form, for an unknown model',
      '{"model":"nobody"}',
      { 'content-type': 'application/json; charset=utf-8' },
      [503, 'no_available_channel'],
    ],
    ['a form without a boundary', 'x', { 'content-type': 'multipart/form-data' }, [400, 'invalid_audio_request']],
    ['a form without a file', field('model', 'whisper-1') + END.slice(2), form, [400, 'invalid_audio_request']],
    ['neither file nor known model', field('model', 'nobody') + END.slice(2), form, [503, 'no_available_channel']],
    ['an empty file', field('model', 'whisper-1') + fileHead() + END, form, [400, 'invalid_audio_request']],
    ['a form that ends in the middle', field('model', 'whisper-1') + fileHead(), form, [400, 'invalid_audio_request']],
    ['two models', field('model', 'a') + field('model', 'b') + fileHead() + END, form, [400, 'invalid_audio_request']],
    ['two files', `${fileHead()}x\r\n${fileHead()}y${END}`, form, [400, 'invalid_audio_request']],
    ['a stream that is no yes or no', field('stream', '1') + fileHead() + END, form, [400, 'invalid_audio_request']],
    ['an unknown model', field('model', 'nobody') + fileHead() + END, form, [503, 'no_available_channel']],
    [
      'a model of a channel without it',
      field('model', 'claude-2.1') + fileHead() + END,
      form,
      [400, 'invalid_api_type'],
    ],
  ])('is refused: %s', async (_, body, headers, [status, code]) => {
    expect(await errorOf(await post(body, headers))).toMatchObject({ status, code });
    expect(upstream.calls).toEqual([]);
  });

  it('is refused before its file is read without a key or quota, and when it costs more than the balance', async () => {
    const poor = await testBed.token(await testBed.user('poor', 10));
    const body = field('model', 'whisper-1') + fileHead() + 'x'.repeat(100_000) + END;
    const refused = await errorOf(await post(body, { ...form, authorization: `Bearer ${poor}` }));
    expect([refused.status, refused.code]).toEqual([403, 'insufficient_user_quota']);
    expect((await post(body, { ...form, authorization: 'Bearer sk-none' })).status).toBe(401);
    expect(upstream.calls).toEqual([]);
  });

  it('costs nothing when the client disconnects during the upload', async () => {
    const user = await testBed.user('leaver', 100_000_000);
    const own = await testBed.token(user);
    const controller = new AbortController();
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(field('model', 'whisper-1') + fileHead());
      yield Buffer.alloc(2 * MB);
      await new Promise((resolve) => controller.signal.addEventListener('abort', resolve));
    };
    const call = fetch(`${testBed.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { ...form, authorization: `Bearer ${own}` },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    await readUntil(
      () => Promise.resolve(upstream.received()),
      (bytes) => bytes > MB,
    );
    controller.abort();
    await expect(call).rejects.toThrow();
    const rowsOf = async (): Promise<LogRow[]> =>
      (await logRows(testBed)).filter(({ user_id: id, other }) => id === user.id && other.outcome !== '');
    const rows = await readUntil(rowsOf, ({ length }) => length > 0);
    expect(rows).toEqual([expect.objectContaining({ quota: 0, prompt_tokens: 0 })]);
    expect(rows[0]?.other.outcome).toBe('client_abort');
    expect(await quotaOf(testBed, user.id)).toBe(100_000_000);
    expect(upstream.calls).toEqual([]);
  });
});
