import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, dataOf, play, replyContext } from '../../test/factories.js';
import { type ClientForm, type JsonObject, RequestRejected } from '../adapter.js';
import { classifyError } from '../faults/faults.js';
import { findProvider } from '../registry.js';

const provider = findProvider(39);
const completions = provider?.completions;
const transcriptions = provider?.transcriptions;
if (!completions || !transcriptions) throw new Error('Workers AI is not built');

const LLAMA = '@cf/meta/llama-3.1-8b-instruct';
const target = (model = LLAMA) => channelTarget({ channelType: 39, other: 'acc', model });
const sent = (json: JsonObject, outputLimit?: number) => {
  const request = clientRequest(json, outputLimit === undefined ? {} : { outputLimit });
  const { url, body } = completions.toUpstream(request, target());
  return { url, json: JSON.parse(String(body)) as JsonObject };
};
const bytes = (json: object): Buffer => Buffer.from(JSON.stringify(json));

describe('a chat of Workers AI', () => {
  const chat = provider.chat;
  const context = replyContext({ requestId: 'r7' });

  it('has an id of ours, whole and streamed', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
    const whole = chat?.fromReply(bytes({ id: 'id-1', choices, own: 1 }), context);
    expect(JSON.parse(String(whole?.body))).toEqual({ id: 'chatcmpl-r7', choices, own: 1 });
    const stream = chat?.openStream(context);
    const chunk = { id: 'id-1', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] };
    const frames = stream && play(stream, Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
    expect(dataOf(frames ?? '')).toEqual([{ ...chunk, id: 'chatcmpl-r7' }]);
    expect(frames?.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('a completion of Workers AI', () => {
  it('is a run of the model', () => {
    expect(sent({ model: 'x', prompt: ['Once'], max_tokens: 9, temperature: 0 })).toEqual({
      url: `https://api.cloudflare.com/client/v4/accounts/acc/ai/run/${LLAMA}`,
      json: { prompt: 'Once', max_tokens: 9, stream: false, temperature: 0 },
    });
    expect(sent({ prompt: 'Once', max_completion_tokens: 7 }).json).toMatchObject({ max_tokens: 7 });
    expect(sent({ prompt: 'Once', stream: true }, 5).json).toEqual({ prompt: 'Once', max_tokens: 5, stream: true });
    expect(() => sent({ prompt: ['a', 'b'] })).toThrow(RequestRejected);
    expect(() => completions.toUpstream(clientRequest({ prompt: 'x' }), target('@cf/../../keys'))).toThrow(
      RequestRejected,
    );
  });

  it('comes whole', () => {
    const result = { response: 'upon a time', usage: { prompt_tokens: 2, completion_tokens: 3 } };
    const reply = completions.fromReply(bytes({ result, success: true, errors: [] }), replyContext());
    expect(JSON.parse(String(reply.body))).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'upon a time', finish_reason: 'stop' }],
      usage: { total_tokens: 5 },
    });
    expect(reply.usage).toMatchObject({ inputTokens: 2, outputTokens: 3 });
  });

  it.each([[[]], [[3, 40, 1]]])('is streamed, cut at %j', (sizes) => {
    const stream = completions.openStream(replyContext({ includeUsage: true }));
    const recorded = [
      'data: {"response":"upon"}',
      'data: {"response":" a time","p":"abcd"}',
      'data: {"response":"","usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}',
      'data: [DONE]',
    ].join('\n\n');
    const frames = play(stream, Buffer.from(`${recorded}\n\n`), sizes);
    const chunks = dataOf(frames);
    expect(chunks.flatMap(({ choices }) => (choices as JsonObject[]).map(({ text }) => text)).join('')).toBe(
      'upon a time',
    );
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(chunks.at(-1)?.usage).toMatchObject({ total_tokens: 5 });
    expect(frames.endsWith('data: [DONE]\n\n')).toBe(true);
    const cut = completions.openStream(replyContext());
    play(cut, Buffer.from('data: {"response":"upon"}\n\n'));
    expect(cut.isComplete).toBe(false);
  });

  it('that failed says why', () => {
    const body = { result: null, success: false, errors: [{ code: 5007, message: 'No such model' }] };
    expect(completions.fromReply(bytes(body), replyContext()).fault).toMatchObject({
      message: 'No such model',
      code: '5007',
    });
    const told = classifyError({ status: 403, body: provider?.readError?.(JSON.stringify(body), {}), channelType: 39 });
    expect(told).toMatchObject({ message: 'No such model', type: 'cloudflare_error' });
  });
});

describe('speech to text of Workers AI', () => {
  const form: ClientForm = {
    with: () => ({ headers: {}, upload: (async function* () {})() }),
    file: () => ({
      headers: { 'content-type': 'audio/mpeg', 'content-length': '5' },
      upload: (async function* () {
        yield Buffer.from([1]);
        yield Buffer.from([2, 3, 4]);
        yield Buffer.from([5]);
      })(),
    }),
  };
  const asked = (model: string, json: JsonObject = {}) => {
    const { url, headers, upload } = transcriptions.toUpstream(clientRequest(json, { form }), target(model));
    if (!upload) throw new Error('nothing is passed on');
    return { url, headers, upload: buffer(upload) };
  };

  it('gets the file as it is, or as base64 for the newer model', async () => {
    const plain = asked('@cf/openai/whisper');
    expect(plain.url).toMatch(/\/ai\/run\/@cf\/openai\/whisper$/);
    expect(plain.headers).toMatchObject({ 'content-type': 'audio/mpeg', 'content-length': '5' });
    expect([...(await plain.upload)]).toEqual([1, 2, 3, 4, 5]);
    const turbo = asked('@cf/openai/whisper-large-v3-turbo');
    expect(turbo.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(turbo.headers).not.toHaveProperty('content-length');
    expect(JSON.parse(String(await turbo.upload))).toEqual({ audio: 'AQIDBAU=' });
    expect(() => asked('m', { response_format: 'srt' })).toThrow(RequestRejected);
  });

  it.each([
    ['json', '{"text":"Hello"}', undefined],
    ['text', 'Hello\n', 'text/plain; charset=utf-8'],
    ['vtt', 'WEBVTT\n', 'text/vtt; charset=utf-8'],
  ])('answers as %s', (format, body, contentType) => {
    const result = { text: 'Hello', vtt: 'WEBVTT\n', word_count: 1, transcription_info: { duration: 60 } };
    const reply = transcriptions.fromReply(
      bytes({ result, success: true }),
      replyContext({ request: { response_format: format } }),
    );
    expect([String(reply.body), reply.contentType]).toEqual([body, contentType]);
    expect(reply.usage).toMatchObject({ inputTokens: 1000 });
  });
});
