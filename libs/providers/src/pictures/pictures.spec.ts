import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import { type FollowUp, type JsonObject, RequestRejected, type UpstreamRequest } from '../adapter.js';
import { classifyError } from '../faults/faults.js';
import { shapeOf } from '../imagen/index.js';
import { findProvider } from '../registry.js';

const adapterOf = (type: number) => {
  const adapter = findProvider(type)?.images;
  if (!adapter) throw new Error(`type ${type} draws nothing`);
  return adapter;
};
const target = (channelType: number, model = 'painter') => channelTarget({ channelType, model });
const ask = { model: 'alias', prompt: 'a gate', n: 2, size: '1792x1024', quality: 'hd' };
const sent = (type: number, json: JsonObject = ask, model?: string): UpstreamRequest =>
  adapterOf(type).toUpstream(clientRequest(json), target(type, model));
const jsonOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;
const bodies = (...replies: unknown[]): Buffer[] => replies.map((reply) => Buffer.from(JSON.stringify(reply)));
const read = (type: number, body: Buffer | JsonObject) => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const reply = adapterOf(type).fromReply(bytes, replyContext());
  return { ...reply, json: JSON.parse(String(reply.body)) as JsonObject };
};

describe('pictures of which none are asked for', () => {
  it.each<[number, string, (json: JsonObject) => unknown]>([
    [1, 'painter', ({ n }) => n],
    [17, 'painter', ({ parameters }) => (parameters as JsonObject).n],
    [24, 'imagen-3.0-generate-002', ({ parameters }) => (parameters as JsonObject).sampleCount],
    [40, 'painter', ({ batch_size: n }) => n],
  ])('are one: type %d', (type, model, countOf) => {
    expect(countOf(jsonOf(sent(type, { prompt: 'a gate', n: 0 }, model)))).toBe(1);
  });
});

describe('pictures of no stated size', () => {
  it.each<[number, string, (json: JsonObject) => unknown, unknown]>([
    [1, 'painter', ({ size }) => size, undefined],
    [17, 'painter', ({ parameters }) => (parameters as JsonObject).size, '1024*1024'],
    [24, 'imagen-3.0-generate-002', ({ parameters }) => (parameters as JsonObject).aspectRatio, '1:1'],
    [40, 'painter', ({ image_size: size }) => size, '1024x1024'],
  ])('are asked for by the size "empty": type %d', (type, model, sizeOf, expected) => {
    expect(sizeOf(jsonOf(sent(type, { prompt: 'a gate', size: 'empty' }, model)))).toBe(expected);
  });
});

describe('pictures of Ali', () => {
  const task = (task_status: string, more: JsonObject = {}) => ({
    output: { task_id: 'task-1', task_status, ...more },
  });
  const done = task('SUCCEEDED', { results: [{ url: 'https://oss.example/1.png' }, { code: 'X', message: 'no' }] });
  const next = (json: JsonObject, ...replies: Buffer[]): FollowUp | undefined =>
    adapterOf(17).followUp?.(replies, clientRequest(json), target(17));

  it('are a task that is submitted', () => {
    const request = sent(17);
    expect(request.url).toBe('https://dashscope.aliyuncs.com/api/v1/services/aigc/text2image/image-synthesis');
    expect(request.headers).toMatchObject({ 'x-dashscope-async': 'enable', authorization: 'Bearer sk-upstream' });
    expect(jsonOf(request)).toEqual({
      model: 'painter',
      input: { prompt: 'a gate' },
      parameters: { size: '1792*1024', n: 2 },
    });
    expect(jsonOf(sent(17, { prompt: 'x' })).parameters).toEqual({ size: '1024*1024', n: 1 });
  });

  it('are polled every three seconds, twenty times at most', () => {
    const pending = bodies(task('PENDING'));
    expect(next(ask, ...pending)).toMatchObject({
      request: { method: 'GET', url: 'https://dashscope.aliyuncs.com/api/v1/tasks/task-1' },
      afterMs: 3000,
    });
    const running = Array.from({ length: 20 }, () => bodies(task('RUNNING'))).flat();
    expect(next(ask, ...pending, ...running)).toBeUndefined();
    expect(read(17, task('RUNNING')).fault).toMatchObject({ class: 'timeout' });
  });

  it('are addresses, of those that could be made', () => {
    expect(next(ask, ...bodies(task('PENDING'), done))).toBeUndefined();
    expect(read(17, done).json).toEqual({ created: 1_700_000_000, data: [{ url: 'https://oss.example/1.png' }] });
  });

  it('are fetched where data are asked for', () => {
    const json = { ...ask, response_format: 'b64_json' };
    const replies = bodies(task('PENDING'), done);
    expect(next(json, ...replies)).toMatchObject({ request: { url: 'https://oss.example/1.png' }, afterMs: 0 });
    const answer = next(json, ...replies, Buffer.from([0xff, 0xd8, 1]));
    if (!answer || !('answer' in answer)) throw new Error('there is no answer');
    expect(read(17, answer.answer).json.data).toEqual([{ b64_json: '/9gB' }]);
  });

  it.each<[string, JsonObject, string]>([
    ['a task that failed', task('FAILED', { code: 'InternalError.Timeout', message: 'slow' }), 'InternalError.Timeout'],
    [
      'pictures that failed',
      task('SUCCEEDED', { results: [{ code: 'DataInspectionFailed', message: 'no' }] }),
      'DataInspectionFailed',
    ],
    ['a refusal', { code: 'InvalidApiKey', message: 'Invalid API-key provided.', request_id: 'q' }, 'InvalidApiKey'],
  ])('are none of %s', (_, json, code) => {
    expect(next(ask, ...bodies(json))).toBeUndefined();
    expect(read(17, json).fault).toMatchObject({ code });
    const body = '{"code":"Throttling","message":"slow down","request_id":"q"}';
    const told = classifyError({ status: 429, body: findProvider(17)?.readError?.(body, {}), channelType: 17 });
    expect(told).toMatchObject({ class: 'rate-limited', type: 'Throttling', code: 'Throttling', param: 'q' });
  });
});

describe('pictures of Imagen', () => {
  it('are requested by prediction, in the nearest aspect ratio', () => {
    const request = sent(24, ask, 'imagen-3.0-generate-002');
    expect(request.url).toBe('https://generativelanguage.googleapis.com/v1beta/models/imagen-3.0-generate-002:predict');
    expect(jsonOf(request)).toEqual({
      instances: [{ prompt: 'a gate' }],
      parameters: { sampleCount: 2, aspectRatio: '16:9', personGeneration: 'allow_adult' },
    });
  });

  it.each([
    ['1024x1024', '1:1'],
    ['1024x1792', '9:16'],
    ['1536x1024', '4:3'],
    ['', '1:1'],
    ['0x0', '1:1'],
    ['auto', '1:1'],
  ])('of the size %j have the shape %s', (size, shape) => {
    expect(shapeOf(size)).toBe(shape);
  });

  it('are data, or withheld', () => {
    const predictions = [{ mimeType: 'image/png', bytesBase64Encoded: 'AQ==' }, { raiFilteredReason: 'x' }];
    expect(read(24, { predictions }).json.data).toEqual([{ b64_json: 'AQ==' }]);
    expect(read(24, { predictions: [{ raiFilteredReason: 'unsafe' }] }).fault).toMatchObject({ message: 'unsafe' });
    expect(read(24, {}).fault).toMatchObject({ code: 'no_images' });
  });

  it('are no addresses, and of no model that talks', () => {
    expect(() => sent(24, { ...ask, response_format: 'url' }, 'imagen-3.0')).toThrow(RequestRejected);
    expect(() => sent(24, ask, 'gemini-2.0-flash')).toThrow(RequestRejected);
  });
});

describe('pictures of others', () => {
  it('have other names at SiliconFlow', () => {
    const request = sent(40, { ...ask, seed: 3 });
    expect(request.url).toBe('https://api.siliconflow.cn/v1/images/generations');
    expect(jsonOf(request)).toEqual({
      model: 'painter',
      prompt: 'a gate',
      seed: 3,
      image_size: '1792x1024',
      batch_size: 2,
    });
    const images = [{ url: 'https://x.example/1' }, { url: 'https://x.example/2' }];
    expect(read(40, { images, timings: { inference: 1 }, seed: 3 }).json).toEqual({
      created: 1_700_000_000,
      data: images,
    });
    expect(read(40, { code: 20012, message: 'Model does not exist', data: null }).fault).toBeDefined();
  });

  it('of xAI are requested with four members', () => {
    const request = sent(48, { ...ask, response_format: 'b64_json' });
    expect(jsonOf(request)).toEqual({ model: 'painter', prompt: 'a gate', n: 2, response_format: 'b64_json' });
    expect(read(48, { data: [{ b64_json: 'AQ==' }] }).json.data).toEqual([{ b64_json: 'AQ==' }]);
  });

  it('of Xinference are asked for as they come', () => {
    const request = adapterOf(47).toUpstream(
      clientRequest(ask),
      channelTarget({ channelType: 47, baseUrl: 'http://x', model: 'sd' }),
    );
    expect([request.url, jsonOf(request)]).toEqual(['http://x/v1/images/generations', { ...ask, model: 'sd' }]);
  });
});
