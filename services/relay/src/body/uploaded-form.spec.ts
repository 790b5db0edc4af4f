import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../call/refusal.js';
import { ByteBudget, type ByteClaim } from './byte-budget.js';
import { UploadedForm } from './uploaded-form.js';

const MB = 1024 * 1024;
const BOUNDS = { maxBytes: 16 * MB, idleMs: 60_000 };
const field = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const HEAD = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\ncontent-type: audio/mpeg\r\n\r\n';
const END = '\r\n--b--\r\n';

type Incoming = PassThrough & Pick<IncomingMessage, 'headers' | 'complete'>;

function incoming(headers: Record<string, string> = {}): Incoming {
  const stream = new PassThrough({ highWaterMark: 64 * 1024 });
  const all = { 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked', ...headers };
  const request = Object.assign(stream, { headers: all, complete: false });
  stream.on('end', () => (request.complete = true));
  return request;
}

function formOf(
  request: Incoming,
  claim = new ByteBudget({ process: 64 * MB, user: 64 * MB, address: 64 * MB }).claim(1, ''),
) {
  return new UploadedForm(request as unknown as IncomingMessage, BOUNDS, claim);
}

const sent = async (form: UploadedForm, fields: Record<string, string | undefined> = {}): Promise<FormData> => {
  const { headers, upload } = form.with(new Map(Object.entries(fields)));
  const bytes = await buffer(upload);
  if (headers['content-length'] !== undefined) expect(bytes.length).toBe(Number(headers['content-length']));
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
};

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Refusal ? error.error.code : error),
  );

describe('an uploaded form', () => {
  it('is read completely when the field comes after the file, and can be sent any number of times', async () => {
    const request = incoming({ 'content-length': '500' });
    delete request.headers['transfer-encoding'];
    const form = formOf(request);
    request.end(
      `${HEAD}sound${'\r\n'}${field('model', 'whisper-1')}${field('x[]', '1')}${field('x[]', 'ü"2')}--b--\r\n`,
    );
    await form.untilField('model');
    expect([form.isComplete, form.isReplayable, form.mostBytes]).toEqual([true, true, 5]);
    expect(form.fields.model).toBe('whisper-1');
    for (const model of ['one', 'two']) {
      const out = await sent(form, { model });
      expect([out.get('model'), out.getAll('x[]')]).toEqual([model, ['1', 'ü"2']]);
      expect(await (out.get('file') as File).text()).toBe('sound');
    }
  });

  it('can be sent with an additional field, and without one', async () => {
    const request = incoming();
    const form = formOf(request);
    request.end(`${field('prompt', 'x')}${HEAD}x${END}`);
    await form.untilField('model');
    const names = [...(await sent(form, { model: 'm', prompt: undefined, user: undefined })).keys()];
    expect(names).toEqual(['model', 'file']);
    expect((await sent(form, { model: 'm' })).get('prompt')).toBe('x');
  });

  it('is read only as fast as it is forwarded, and its memory is given back', async () => {
    const budget = new ByteBudget({ process: 64 * MB, user: 64 * MB, address: 64 * MB });
    const request = incoming();
    const form = formOf(request, budget.claim(1, ''));
    request.write(field('model', 'm') + HEAD);
    request.write('s');
    await form.untilField('model');
    expect([form.isComplete, form.mostBytes]).toEqual([false, BOUNDS.maxBytes]);
    const { upload, headers } = form.with(new Map());
    expect(headers).not.toHaveProperty('content-length');
    let most = 0;
    let size = 0;
    const pieces = (function* () {
      for (let count = 0; count < 12; count += 1) yield Buffer.alloc(MB, count);
      yield Buffer.from(END);
    })();
    const feed = (async () => {
      for (const piece of pieces)
        if (!request.write(piece)) await new Promise((resolve) => request.once('drain', resolve));
      request.end();
    })();
    for await (const piece of upload) {
      size += piece.length;
      most = Math.max(most, budget.inFlight);
    }
    await feed;
    expect(size).toBeGreaterThan(12 * MB);
    expect(most).toBeLessThan(5 * MB);
    expect(form.isReplayable).toBe(false);
  });

  it('can be sent again from the beginning while all of it is kept', async () => {
    const request = incoming();
    const form = formOf(request);
    request.write(field('model', 'm') + HEAD + 'first ');
    await form.untilField('model');
    const abandoned = form.with(new Map()).upload[Symbol.asyncIterator]();
    await abandoned.next();
    await abandoned.next();
    // Waits for the next bytes, like an upstream that fails meanwhile.
    const waiting = abandoned.next();
    void abandoned.return?.();
    request.end(`second${END}`);
    await waiting;
    expect(await ((await sent(form)).get('file') as File).text()).toBe('first second');
  });

  it.each([
    [
      'too long',
      (request: Incoming) => request.end(field('model', 'm') + HEAD + 'x'.repeat(17 * MB)),
      'body_too_large',
    ],
    ['no form', (request: Incoming) => request.end('nothing of the kind'), 'invalid_audio_request'],
    ['cut', (request: Incoming) => request.end(`${HEAD}xxx`), 'invalid_audio_request'],
    ['gone', (request: Incoming) => void request.destroy(), 'invalid_audio_request'],
    ['of many fields', (request: Incoming) => request.end(field('a[]', '1').repeat(70)), 'invalid_audio_request'],
    [
      'of long fields',
      (request: Incoming) => request.end(field('a', 'x'.repeat(70_000)) + END),
      'invalid_audio_request',
    ],
  ])('is refused when it is %s', async (_, play, code) => {
    const request = incoming();
    const form = formOf(request);
    play(request);
    const failure = await codeOf(form.untilField('absent'));
    expect([failure, form.failure?.error.code, form.isReplayable]).toEqual([code, code, false]);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('that is packed (%s) is read whole', async (coding, pack) => {
    const request = incoming({ 'content-encoding': coding });
    const form = formOf(request);
    request.end(pack(`${field('model', 'whisper-1')}${HEAD}${'sound'.repeat(10)}${END}`));
    await form.untilField('model');
    expect([form.isComplete, form.mostBytes, form.fields.model]).toEqual([true, 50, 'whisper-1']);
    expect(await ((await sent(form)).get('file') as File).text()).toBe('sound'.repeat(10));
  });

  it.each<[string, string, Buffer, unknown]>([
    ['packed badly', 'gzip', Buffer.from('no gzip at all'), [400, true]],
    ['packed and torn', 'gzip', gzipSync(`${HEAD}sound${END}`).subarray(0, 40), [400, true]],
    ['packed in a way nobody knows', 'lzma', Buffer.from('x'), [415, undefined]],
    [
      'that unpacks to too much',
      'gzip',
      gzipSync(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(4 * MB)])),
      [413, undefined],
    ],
  ])('%s is refused', async (_, coding, bytes, expected) => {
    const request = incoming({ 'content-encoding': coding });
    const work = async (): Promise<unknown> => {
      const form = formOf(request);
      request.end(bytes);
      return form.untilField('model');
    };
    const refusal = await work().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    const { status, extra } = refusal as Refusal;
    expect([status, extra.isEmpty]).toEqual(expected);
  });

  it.each(['Model', 'n[]', 'prompt[0]'])(
    'with a field that some parsers take for another (%s) is refused',
    async (name) => {
      const request = incoming();
      const form = formOf(request);
      request.end(`${field(name, '10')}${HEAD}x${END}`);
      const refusal = await form.untilField('model').catch((error: unknown) => error);
      expect(refusal).toMatchObject({ status: 400, error: { param: name } });
    },
  );

  it.each(['model', 'N', 'prompt[]'])('whose file some parsers take for a value (%s) is refused', async (name) => {
    const request = incoming();
    const form = formOf(request);
    request.end(`${field('model', 'whisper-1')}${HEAD.replace('"file"', `"${name}"`)}x${END}`);
    const refusal = await form.untilField('model').catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      status: 400,
      error: { param: name, message: `field ${name} must not be a file` },
    });
    expect(form.isReplayable).toBe(false);
  });

  it('is refused when there is no memory for it, or no data arrives', async () => {
    const budget = new ByteBudget({ process: MB, user: MB, address: MB });
    const request = incoming();
    const full = formOf(request, budget.claim(1, ''));
    request.end(`${HEAD}${'x'.repeat(2 * MB)}${END}`);
    expect(await codeOf(full.untilField('model'))).toBe('too_many_bytes_in_flight');
    const silent = incoming();
    const slow = new UploadedForm(silent as unknown as IncomingMessage, { ...BOUNDS, idleMs: 20 }, claimOf());
    silent.write(field('model', 'm'));
    expect(await codeOf(slow.untilField('model'))).toBe('body_timeout');
  });

  it('ends for its upstream only when the fields after its file were checked', async () => {
    const late = async (fields: string, ours: Record<string, string> = {}) => {
      const request = incoming();
      const form = formOf(request);
      request.write(field('model', 'm') + HEAD + 'sound');
      await form.untilField('model');
      form.guard((json) => {
        if (json.stream === 'true') throw new Refusal(400, 'no stream', 'invalid_audio_request');
      });
      const out = sent(form, ours);
      request.end(`\r\n${fields}--b--\r\n`);
      return { form, out };
    };
    const fine = await late(field('stream', 'false') + field('prompt', 'theirs'), { prompt: 'ours' });
    expect([...(await fine.out).entries()].filter(([name]) => name !== 'file')).toEqual([
      ['model', 'm'],
      ['prompt', 'ours'],
      ['stream', 'false'],
    ]);
    const refused = await late(field('stream', 'true'));
    expect(await codeOf(refused.out)).toBe('invalid_audio_request');
    expect([refused.form.failure?.error.message, refused.form.isReplayable]).toEqual(['no stream', false]);
  });

  it('is not read further once its request has ended, and leaves no bytes counted', async () => {
    const budget = new ByteBudget({ process: MB, user: MB, address: MB });
    const claim = budget.claim(1, '');
    const request = incoming();
    const form = formOf(request, claim);
    request.write(field('model', 'm') + HEAD + 'first');
    await form.untilField('model');
    const upload = form.with(new Map()).upload[Symbol.asyncIterator]();
    await upload.next();
    await upload.next();
    const waiting = codeOf(upload.next());
    claim.release();
    request.write('second');
    expect(await waiting).toBe('invalid_audio_request');
    expect([budget.inFlight, form.isReplayable, request.isPaused()]).toEqual([0, false, true]);
  });

  it('is refused at once when its stated size exceeds the limit', () => {
    const request = incoming({ 'content-length': String(17 * MB) });
    delete request.headers['transfer-encoding'];
    expect(() => formOf(request)).toThrow(Refusal);
  });
});

const claimOf = (): ByteClaim => new ByteBudget({ process: MB, user: MB, address: MB }).claim(1, '');
