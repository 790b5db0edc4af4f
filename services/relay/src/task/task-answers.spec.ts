import { describe, expect, it } from '@jest/globals';
import { readDrawingAnswer, readSongAnswer } from './task-answers.js';
import { drawingFault, originOff, taskDialectOf, taskErrorBody } from './task-fault.js';
import { Refusal } from '../call/refusal.js';

const reply = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));

describe('readDrawingAnswer', () => {
  it('accepts submitted, existing and queued tasks, and returns code 1 for all of them', () => {
    const each = ['IMAGINE', 'SWAP_FACE'].flatMap((action) => [1, 21, 22].map((code) => ({ action, code })));
    for (const { action, code } of each) {
      const answer = readDrawingAnswer(200, reply({ code, description: 'ok', result: '17' }), action);
      expect(answer).toMatchObject({ isAccepted: true, upstreamId: '17', code, body: { code: 1, result: '17' } });
    }
  });

  it('returns code 21 where it opens a window, and marks an existing drawing as finished', () => {
    expect(readDrawingAnswer(200, reply({ code: 21, result: '17' }), 'INPAINT').body).toMatchObject({ code: 21 });
    const properties = { status: 'SUCCESS', imageUrl: 'https://a/b.png' };
    expect(readDrawingAnswer(200, reply({ code: 21, result: '17', properties }), 'UPSCALE').news).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: 'https://a/b.png',
    });
  });

  it('takes a number for an id', () => {
    const body = { code: 1, description: 'ok', result: 1_712_205_491_372_224 };
    expect(readDrawingAnswer(200, reply(body), 'IMAGINE')).toMatchObject({
      ...{ isAccepted: true, upstreamId: '1712205491372224', news: { status: 'SUBMITTED' }, body },
    });
  });

  // JSON.parse has lost digits of the last one, so no poll could name the task.
  it.each([[undefined], [1.5], [''], [2 ** 53]])('ends a successful task without an id: %p', (result) => {
    const answer = readDrawingAnswer(200, reply({ code: 1, description: 'ok', result }), 'IMAGINE');
    expect(answer).toMatchObject({ isAccepted: true, upstreamId: '', news: { status: 'FAILURE' } });
    expect(answer.news.failReason).not.toBe('');
  });

  it.each([[3], [23], [24], [5]])('passes on the reply with code %i unchanged', (code) => {
    const body = { code, description: 'no', result: null };
    expect(readDrawingAnswer(200, reply(body), 'IMAGINE')).toMatchObject({ isAccepted: false, body, upstreamId: '' });
  });

  it('answers 429 for a saturated group, and code 5 for an unreadable reply', () => {
    expect(readDrawingAnswer(200, reply({ code: 30, description: 'full' }), 'IMAGINE').fault).toMatchObject({
      status: 429,
      message: 'full 当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。',
    });
    for (const bytes of [Buffer.from('<html>'), reply([]), reply({ code: '1' })])
      expect(readDrawingAnswer(200, bytes, 'IMAGINE').fault?.error.code).toBe('5');
  });

  it('tells what the proxy says about an error with another status', () => {
    const bytes = reply({ code: 4, description: 'bad', result: 'no such account' });
    expect(readDrawingAnswer(500, bytes, 'IMAGINE').fault).toMatchObject({
      status: 400,
      message: 'bad no such account',
    });
    const error = readDrawingAnswer(500, reply({ code: 4, description: 'bad', result: null }), 'IMAGINE').fault;
    expect(error?.message).toBe('bad');
  });

  it('finishes an upload at once', () => {
    const upload = readDrawingAnswer(200, reply({ code: 1, result: ['https://a/b.png'] }), 'UPLOAD');
    expect(upload).toMatchObject({ isAccepted: true, news: { status: 'SUCCESS', imageUrl: 'https://a/b.png' } });
  });
});

describe('readSongAnswer', () => {
  it('needs success and an id', () => {
    expect(readSongAnswer(200, reply({ code: 'success', data: 'abc' }))).toMatchObject({
      isAccepted: true,
      upstreamId: 'abc',
    });
    expect(readSongAnswer(200, reply({ code: 'success', data: 42 }))).toMatchObject({
      isAccepted: true,
      upstreamId: '42',
    });
    expect(readSongAnswer(200, reply({ code: 'quota_gone', message: 'none left', data: null })).fault).toMatchObject({
      status: 500,
      message: 'none left',
      error: { code: 'quota_gone' },
    });
    expect(readSongAnswer(200, reply({ code: 'success', data: '' })).isAccepted).toBe(false);
  });
});

describe('a Suno proxy that answers with another status', () => {
  it.each([
    { status: 502, body: Buffer.from('bad gateway'), told: 502, message: 'upstream answered 502' },
    { status: 500, body: reply({ code: 'oops', message: 'boom' }), told: 500, message: 'boom' },
    { status: 302, body: Buffer.from(''), told: 500, message: 'upstream answered 302' },
    { status: 429, body: reply({ message: 'slow down' }), told: 429, message: '当前分组上游负载已饱和，请稍后再试' },
    { status: 400, body: reply({ message: 'bad' }), mapping: { 400: '418' }, told: 418, message: 'bad' },
  ])('is passed on as $told: $status', ({ status, body, mapping = {}, told, message }) => {
    const { fault, news } = readSongAnswer(status, body, mapping);
    expect(fault).toMatchObject({ status: told, message, error: { code: 'fail_to_fetch_task' } });
    // The channel's owner reads the upstream's own message.
    expect(news.failReason).toBe(status === 429 ? 'slow down' : message);
  });
});

describe('refusals', () => {
  it.each([
    ['/mj/submit/imagine', 'midjourney'],
    ['/mj-fast/mj/submit/imagine', 'midjourney'],
    ['/suno/fetch', 'suno'],
    ['/v1/mj/x', 'midjourney'],
    ['/v1/chat/completions', undefined],
    ['/mjx/submit', undefined],
  ])('of %s speak %s', (path, dialect) => {
    expect(taskDialectOf(path)).toBe(dialect);
  });

  it.each([
    ['a word', drawingFault('prompt_is_required'), 'prompt_is_required'],
    ['a word with what was asked for', drawingFault('unknown_action:ZOOM'), 'unknown_action'],
    ['a sentence', originOff('midjourney'), 'task_channel_disable'],
    ['a code of its own', originOff('suno'), 'task_channel_disable'],
    ['words of an upstream', drawingFault('Banned prompt', 24), '24'],
    ['a type only', new Refusal(404, 'no such path', '', { type: 'invalid_request_error' }), 'invalid_request_error'],
  ])('are counted by their reason: %s', (_, { reason }, expected) => {
    expect(reason).toBe(expected);
  });

  it('have the shape of their dialect', () => {
    expect(taskErrorBody('midjourney', drawingFault('prompt_is_required'), 'r')).toEqual({
      description: 'prompt_is_required',
      type: 'upstream_error',
      code: 4,
    });
    const refusal = new Refusal(401, '无效的令牌', 'invalid_token');
    expect(taskErrorBody('midjourney', refusal, 'r')).toEqual({
      description: '无效的令牌 (request id: r)',
      type: 'new_api_error',
      code: 4,
    });
    expect(taskErrorBody('suno', refusal, 'r')).toEqual({ code: 'invalid_token', message: '无效的令牌', data: null });
  });
});
