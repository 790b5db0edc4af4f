import { describe, expect, it, jest } from '@jest/globals';
import { SseOverflow } from '@tollgate/providers';
import { scene } from '../../test/delivery-scene.js';
import { PROGRESS_MS } from './stream-delivery.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('StreamDelivery', () => {
  it('writes the record before the first byte, and everything after it in order', async () => {
    const { story, say, end, record, result } = scene();
    say('a', 'b');
    await turn();
    expect(story).toEqual(['pause', 'record']);
    say('c', 'end');
    end();
    record.resolve();
    expect(await result).toEqual({ end: 'completed', started: true });
    expect(story).toEqual(['pause', 'record', 'head', 'client a', 'client b', 'client c', 'resume']);
  });

  it.each([': OPENROUTER PROCESSING\n\n', '\n\n', 'event: ping\ndata: {"type": "ping"}\n\n'])(
    'has not begun with %j, so that another channel may be tried',
    async (filler) => {
      const { story, say, end, result } = scene();
      say(filler, filler);
      await turn();
      end();
      expect(await result).toMatchObject({ end: 'upstream_cut', started: false });
      expect(story.filter((line) => line !== 'pause' && line !== 'abort')).toEqual([]);
    },
  );

  it('forwards comments once it has begun', async () => {
    const { story, say, end, record, result } = scene();
    say(': early\n\n', 'a', ': late\n\n', 'end');
    record.resolve();
    await turn();
    end();
    await result;
    expect(story.filter((line) => line.startsWith('client'))).toEqual(['client a', 'client : late\n\n']);
  });

  it('fails after megabytes without an event', async () => {
    const { say, result } = scene();
    const nothing = ' '.repeat(4 * 1024 * 1024);
    say(...Array.from({ length: 5 }, () => `silent${nothing}`));
    const failure = expect.objectContaining({ reason: 'too-large', cause: expect.any(SseOverflow) });
    expect(await result).toMatchObject({ end: 'upstream_cut', started: false, failure });
  });

  it('sends comments to a client that gets nothing else, once the reply has begun', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { story, client, say, end, record, result } = scene(1000);
      jest.advanceTimersByTime(5000);
      expect(story).toEqual([]);
      say('a');
      record.resolve();
      await turn();
      jest.advanceTimersByTime(900);
      say('b');
      jest.advanceTimersByTime(1900);
      const sent = story.filter((line) => line.startsWith('client'));
      expect(sent).toEqual(['client a', 'client b', 'client : PING\n\n']);
      client.room = 1;
      say('c');
      jest.advanceTimersByTime(5000);
      expect(story.filter((line) => line !== 'progress').at(-1)).toBe('pause');
      say('end');
      end();
      await result;
      jest.advanceTimersByTime(5000);
      expect(story.filter((line) => line.includes('PING'))).toHaveLength(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('records progress once after its first record and while the reply grows, and nothing while its upstream is silent', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { story, say, end, record, result } = scene();
      say('a');
      record.resolve();
      await turn();
      const records = (): number => story.filter((line) => line === 'progress').length;
      jest.advanceTimersByTime(10 * PROGRESS_MS);
      expect(records()).toBe(1);
      say('b', 'c');
      jest.advanceTimersByTime(10 * PROGRESS_MS);
      expect(records()).toBe(2);
      say('end');
      end();
      await result;
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps the order when resuming delivers the next chunk synchronously', async () => {
    const { story, say, held, record, result, end } = scene();
    held.push('c', 'end');
    say('a', 'b');
    record.resolve();
    await turn();
    end();
    await result;
    expect(story.filter((line) => line.startsWith('client'))).toEqual(['client a', 'client b', 'client c']);
  });

  it('does not resume when the client is full after the first frames', async () => {
    const { story, client, say, record } = scene();
    client.room = 1;
    say('a');
    record.resolve();
    await turn();
    expect(story.at(-1)).toBe('pause');
    client.leave();
  });

  it('leaves the end of the response to its caller, who records first', async () => {
    const { client, say, end, record, result } = scene();
    record.resolve();
    say('a', 'end');
    end();
    await result;
    expect(client.writableEnded).toBe(false);
  });

  it('distinguishes a cut after the first byte from an end', async () => {
    const { say, breakOff, record, result } = scene();
    record.resolve();
    say('a');
    await turn();
    breakOff();
    expect(await result).toMatchObject({ end: 'upstream_cut', started: true });
  });

  it('delivers what came in one chunk with the fault before it cuts', async () => {
    const { story, say, record, result } = scene();
    say('a', 'fault', 'b');
    record.resolve();
    expect(await result).toMatchObject({ end: 'upstream_cut', started: true });
    expect(story).toContain('client a');
    expect(story).not.toContain('client b');
  });

  it.each(['fault', 'huge'])('reports that nothing was sent when the stream begins with: %s', async (chunk) => {
    const { story, say, result } = scene();
    say(chunk);
    expect(await result).toMatchObject({ end: 'upstream_cut', started: false });
    expect(story).toEqual(['abort']);
  });

  it('aborts the upstream when the client leaves', async () => {
    const { story, client, say, record, result } = scene();
    record.resolve();
    say('a');
    await turn();
    client.leave();
    expect(await result).toEqual({ end: 'client_abort', started: true });
    expect(story.at(-1)).toBe('abort');
  });

  it('reads on for the usage, and sends nothing, after the client left an answer that may be read on', async () => {
    const { story, client, say, end, record, result } = scene(undefined, { ms: 60_000, bytes: 100 });
    record.resolve();
    say('a');
    await turn();
    client.leave();
    say('b', 'c');
    await turn();
    expect(story).not.toContain('abort');
    end();
    expect(await result).toEqual({ end: 'client_abort', started: true });
    expect(story.filter((line) => line.startsWith('client'))).toEqual(['client a']);
  });

  it('reads on at most to the terminal event, or to the limit of bytes', async () => {
    for (const last of ['done', 'x'.repeat(101)]) {
      const { client, say, record, result } = scene(undefined, { ms: 60_000, bytes: 100 });
      record.resolve();
      say('a');
      await turn();
      client.leave();
      say('b', last);
      expect(await result).toEqual({ end: 'client_abort', started: true });
    }
  });

  it('ends a complete answer whose upstream keeps the reply open', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { say, record, result, story } = scene();
      record.resolve();
      say('a', 'done');
      await turn();
      for (let seconds = 0; seconds < 6; seconds += 1) {
        jest.advanceTimersByTime(1000);
        say('more');
        await turn();
      }
      expect(await Promise.race([result, turn()])).toEqual({ end: 'completed', started: true });
      expect(story).toContain('abort');
    } finally {
      jest.useRealTimers();
    }
  });

  it('reads on at most for the allowed time', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { story, client, say, record, result } = scene(undefined, { ms: 1000, bytes: 100 });
      record.resolve();
      say('a');
      await turn();
      client.leave();
      jest.advanceTimersByTime(999);
      expect(story).not.toContain('abort');
      jest.advanceTimersByTime(1);
      expect(await result).toEqual({ end: 'client_abort', started: true });
      expect(story.at(-1)).toBe('abort');
    } finally {
      jest.useRealTimers();
    }
  });

  it('writes the record of an answer that is read on before its first byte, and no head', async () => {
    const { story, client, say, record, result } = scene(undefined, { ms: 60_000, bytes: 100 });
    client.leave();
    record.resolve();
    await turn();
    say('a', 'done');
    expect(await result).toEqual({ end: 'client_abort', started: true });
    expect(story).toEqual(['pause', 'record', 'resume', 'abort']);
  });

  it('does not wait for a full client that has left', async () => {
    const { story, client, say, record, result } = scene(undefined, { ms: 60_000, bytes: 100 });
    record.resolve();
    client.room = 1;
    say('a');
    await turn();
    expect(story.at(-1)).toBe('pause');
    client.leave();
    expect(story.at(-1)).toBe('resume');
    say('done');
    await result;
  });

  it('sends nothing and counts nothing as sent when the client leaves before the record is written', async () => {
    const { story, client, say, record, result } = scene();
    say('a');
    client.leave();
    expect(await result).toEqual({ end: 'client_abort', started: false });
    record.resolve();
    await turn();
    expect(story).toEqual(['pause', 'abort']);
  });

  it('fails without a byte sent when the record cannot be written, whatever still arrives', async () => {
    const { story, say, record, result } = scene();
    say('a', 'b');
    record.reject(new Error('disk full'));
    say('c');
    await expect(result).rejects.toThrow('disk full');
    await turn();
    expect(story).toEqual(['pause', 'record', 'abort']);
  });

  it('ends a begun delivery when a bug breaks it', async () => {
    const { say, record, result } = scene();
    record.resolve();
    say('a');
    await turn();
    say('bug');
    expect(await result).toMatchObject({
      end: 'upstream_cut',
      started: true,
      failure: new TypeError('a bug'),
    });
  });

  it('pauses the upstream while the client is full, with one listener however much still arrives', async () => {
    const { story, client, say, end, record, result } = scene();
    record.resolve();
    say('a');
    await turn();
    client.room = 1;
    say('b', 'c', 'd');
    expect(client.listenerCount('drain')).toBe(1);
    expect(story.slice(-4)).toEqual(['client b', 'pause', 'client c', 'client d']);
    client.room = Infinity;
    client.emit('drain');
    expect(story.at(-1)).toBe('resume');
    say('end');
    end();
    expect(await result).toMatchObject({ end: 'completed' });
  });

  it('ends the stream, with what was delivered, once the quota is used up', async () => {
    let left = 2;
    const { story, say, record, result } = scene(undefined, undefined, (bytes) => (left -= bytes) >= 0);
    record.resolve();
    say('a', 'b', 'c');
    expect(await result).toEqual({ end: 'quota_exhausted', started: true });
    expect(story.filter((line) => line.startsWith('client'))).toEqual(['client a', 'client b', 'client c']);
    expect(story.at(-1)).toBe('abort');
  });

  it('pauses the upstream while billing is asked', async () => {
    const answer = Promise.withResolvers<boolean>();
    const { story, say, end, record, result } = scene(undefined, undefined, () => answer.promise);
    record.resolve();
    say('a');
    await turn();
    expect(story.at(-1)).not.toBe('resume');
    answer.resolve(true);
    await turn();
    expect(story.at(-1)).toBe('resume');
    say('end');
    end();
    expect((await result).end).toBe('completed');
  });
});
