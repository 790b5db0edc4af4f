import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { networkFailureOf } from '../retry/attempt-failure.js';
import { mayRetry } from '../retry/retry-policy.js';
import type { KeyedChannel } from '../routing/key-choice.js';
import { type SendHooks, UpstreamClient } from './upstream.client.js';
import { UpstreamFailure, UpstreamResponse } from './upstream-response.js';
import { directly, type Way } from './way.js';

const MB = 1024 * 1024;

interface Packed {
  response: UpstreamResponse;
  calls: string[];
  controller: { abort: () => void };
}

function packed(encoding = 'gzip'): Packed {
  const calls: string[] = [];
  const controller = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: (): void => void calls.push('abort'),
  };
  const headers = { 'content-encoding': encoding };
  return {
    response: new UpstreamResponse(200, headers, controller as unknown as Dispatcher.DispatchController),
    calls,
    controller,
  };
}

describe('UpstreamClient', () => {
  const request = { method: 'POST' as const, url: 'https://upstream.example/chat', headers: {} };
  const env = { TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: 1, TOLLGATE_STREAM_IDLE_SECONDS: 1 };

  it('does not show an invalid URL, whose query may hold a token', async () => {
    const client = new UpstreamClient({} as never, { env } as never);
    const unparsable = { method: 'POST' as const, url: 'no-scheme/chat?access_token=24.secret', headers: {} };
    const failure = await Promise.resolve()
      .then(() => client.send(unparsable, { abortable: () => undefined, sent: () => undefined }))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'refused', cause: expect.any(Error) });
    expect(String((failure as Error).cause)).not.toContain('secret');
  });

  /** A client of a dispatcher that leaves each request waiting for its connection. */
  function unconnected() {
    const dispatched = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const aborted: unknown[] = [];
    const controller = { abort: (reason: unknown) => void aborted.push(reason) } as never;
    const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler): boolean => {
      dispatched.resolve(handler);
      return true;
    };
    const calls: string[] = [];
    let leave = (): void => undefined;
    const hooks: SendHooks = { abortable: (abort) => void (leave = abort), sent: () => void calls.push('sent') };
    return {
      send: (way: Partial<Way> = {}) =>
        new UpstreamClient({ dispatcher: () => ({ dispatch }) } as never, { env } as never)
          .send(request, hooks, { ...directly, ...way })
          .catch((error: unknown) => error as UpstreamFailure),
      leave: () => dispatched.promise.then(() => leave()),
      start: async () => (await dispatched.promise).onRequestStart?.(controller, {}),
      fail: async (code: string) =>
        (await dispatched.promise).onResponseError?.(controller, Object.assign(new Error('late'), { code })),
      aborted,
      calls,
    };
  }

  const isRetried = (failure: UpstreamFailure): boolean => {
    const current = { channel: { id: 1, type: 1 } as KeyedChannel, elapsed: () => 1 };
    return mayRetry(networkFailureOf(current, failure).attempt.status, 1);
  };

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', false, 'network', true],
    // The time for the answer of a proxy.
    ['UND_ERR_HEADERS_TIMEOUT', false, 'network', true],
    ['UND_ERR_HEADERS_TIMEOUT', true, 'timeout', false],
  ])(
    'reports %s of a request that was sent (%s) as "%s", so that another channel is tried only if nothing was sent',
    async (code, isSent, reason, mayGoOn) => {
      const { send, start, fail } = unconnected();
      const sending = send();
      if (isSent) await start();
      await fail(code);
      const failure = (await sending) as UpstreamFailure;
      expect(failure).toMatchObject({ reason });
      expect(isRetried(failure)).toBe(mayGoOn);
    },
  );

  it.each<[string, Partial<Way>]>([
    ['the first byte', { firstByteMs: 20 }],
    ['the whole answer', { totalMs: 20 }],
  ])('ends a call that is not connected within the time for %s, and never sends it', async (_, way) => {
    const { send, start, aborted, calls } = unconnected();
    const failure = (await send(way)) as UpstreamFailure;
    expect([failure.reason, isRetried(failure)]).toEqual(['network', true]);
    await start();
    expect([aborted, calls]).toEqual([[failure], []]);
  });

  it('ends a call that is not connected when its client leaves, and never sends it', async () => {
    const { send, leave, start, aborted, calls } = unconnected();
    const sending = send();
    await leave();
    const failure = await sending;
    expect(failure).toMatchObject({ reason: 'aborted' });
    await start();
    expect([aborted, calls]).toEqual([[failure], []]);
  });
});

describe('UpstreamResponse', () => {
  it('unpacks a whole body', async () => {
    const { response } = packed();
    const body = response.read(MB);
    response.onData(gzipSync('some words'));
    response.onEnd();
    expect((await body).toString()).toBe('some words');
  });

  it('tells how a body begins as soon as that is known, and a reader gets all of it', async () => {
    const { response, calls } = packed('');
    response.onData(Buffer.from('da'));
    const begins = response.begins((head) => (head.length < 4 ? undefined : head.toString().startsWith('data')));
    response.onData(Buffer.from('ta: 1'));
    expect(await begins).toBe(true);
    response.onData(Buffer.from('\n\n'));
    const body = response.read(MB);
    response.onEnd();
    expect((await body).toString()).toBe('data: 1\n\n');
    expect(calls).toEqual([]);
  });

  it.each([
    ['that ends before', ''],
    ['that is packed', 'gzip'],
  ])('tells how a body begins %s', async (_, encoding) => {
    const { response } = packed(encoding);
    const begins = response.begins((head) => (head.length < 9 ? undefined : true));
    response.onData(encoding === '' ? Buffer.from('short') : gzipSync('long enough'));
    response.onEnd();
    expect(await begins).toBe(encoding !== '');
    expect((await response.read(MB)).toString()).toBe(encoding === '' ? 'short' : 'long enough');
  });

  it('tells of a body that breaks off that it does not begin so, and the reader is told of the break', async () => {
    const { response } = packed('');
    const begins = response.begins(() => undefined);
    response.onError(new UpstreamFailure('network'));
    expect(await begins).toBe(false);
    await expect(response.read(MB)).rejects.toMatchObject({ reason: 'network' });
  });

  it('looks at the beginning of a body only', async () => {
    const { response } = packed('');
    const begins = response.begins(() => undefined);
    response.onData(Buffer.alloc(MB));
    expect(await begins).toBe(false);
  });

  it('aborts a body that unpacks to more than is allowed', async () => {
    const { response, calls } = packed();
    const body = response.read(MB);
    response.onData(gzipSync(Buffer.alloc(100 * MB)));
    await expect(body).rejects.toMatchObject({ reason: 'too-large' });
    expect(calls.at(-1)).toBe('abort');
    // Data that the connection still delivers after the abort is ignored.
    response.onData(Buffer.from('more'));
    response.onEnd();
  });

  it('aborts a body that unpacks to a hundred times its size, with and without a reader', async () => {
    const bomb = gzipSync(Buffer.alloc(4 * MB));
    const { response, calls } = packed();
    const body = response.read(64 * MB);
    response.onData(bomb);
    await expect(body).rejects.toMatchObject({ reason: 'too-large' });
    expect(calls.at(-1)).toBe('abort');
    const piped = packed();
    let received = 0;
    const failure = new Promise((error) =>
      piped.response.pipe({ data: (chunk) => void (received += chunk.length), end: () => undefined, error }),
    );
    piped.response.onData(bomb);
    expect(await failure).toMatchObject({ reason: 'too-large' });
    expect(received).toBeLessThanOrEqual(MB);
  });

  it('aborts at once when there is no memory for the body', async () => {
    const { response, calls } = packed();
    const full = new Error('full');
    const body = response.read(MB, {
      take: () => {
        throw full;
      },
    });
    response.onData(gzipSync('some words'));
    await expect(body).rejects.toBe(full);
    expect(calls.at(-1)).toBe('abort');
  });

  it('reports that a body is too large, although the abort reports its own error at once', async () => {
    const { response, controller } = packed();
    controller.abort = () => response.onError(new UpstreamFailure('aborted'));
    const body = response.read(10);
    response.onData(gzipSync('more than ten bytes'));
    await expect(body).rejects.toMatchObject({ reason: 'too-large' });
  });

  it.each([
    ['unpacks too far', gzipSync(Buffer.alloc(4 * MB)), 'too-large'],
    ['is damaged', Buffer.from('no gzip at all'), 'network'],
  ])('reports that a body %s, although the abort reports its own error at once', async (_, bytes, reason) => {
    const { response, controller } = packed();
    controller.abort = () => response.onError(new UpstreamFailure('aborted'));
    const body = response.read(64 * MB);
    response.onData(bytes);
    await expect(body).rejects.toMatchObject({ reason });
  });

  it('passes on a body in a coding that it does not know', async () => {
    const { response } = packed('constructor');
    const body = response.read(MB);
    response.onData(Buffer.from('as it came'));
    response.onEnd();
    expect(String(await body)).toBe('as it came');
  });

  it('stops unpacking while its reader pauses', async () => {
    const { response, calls } = packed();
    let received = 0;
    response.pipe({
      data: (chunk) => {
        received += chunk.length;
        response.pause();
      },
      end: () => undefined,
      error: () => undefined,
    });
    const bomb = gzipSync(Buffer.alloc(100 * MB));
    response.onData(bomb);
    // Without the pause everything would be unpacked by then.
    await promisify(gunzip)(bomb);
    const before = received;
    expect(before).toBeLessThan(MB);
    expect(calls.at(-1)).toBe('pause');
    response.resume();
    while (received === before) await new Promise((resolve) => setImmediate(resolve));
    expect(received).toBeLessThan(MB);
    response.abort();
  });

  it('fails when the compressed body is damaged or cut, and closes the connection', async () => {
    for (const bytes of [Buffer.from('no gzip at all'), gzipSync(Buffer.alloc(MB)).subarray(0, 100)]) {
      const { response, calls } = packed();
      const body = response.read(MB);
      response.onData(bytes);
      response.onEnd();
      await expect(body).rejects.toMatchObject({ reason: 'network' });
      expect(calls.at(-1)).toBe('abort');
    }
  });
});
