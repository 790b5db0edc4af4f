import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LIVE_HEARTBEAT_MS } from '@tollgate/contracts/api/live';
import { LiveStream } from './live-stream.js';

class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  head: Record<string, string> = {};
  writableEnded = false;
  destroyed = false;
  /** True while the client does not read. */
  writableNeedDrain = false;

  writeHead(_status: number, head: Record<string, string>): void {
    this.head = head;
  }

  write(text: string): boolean {
    this.written.push(text);
    return !this.writableNeedDrain;
  }

  end(text: string): void {
    this.written.push(text);
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  get messages(): unknown[] {
    return this.written.flatMap((text) => (text.startsWith('data: ') ? [JSON.parse(text.slice(6)).changed] : []));
  }
}

describe('LiveStream', () => {
  let response: FakeResponse;
  let stream: LiveStream;
  beforeEach(() => {
    jest.useFakeTimers();
    response = new FakeResponse();
    stream = new LiveStream(response as unknown as ServerResponse);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('begins with a retry hint and the missed changes, uncompressed and unbuffered', () => {
    stream.begin('id', ['usage']);
    expect(response.head).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    expect(response.head['cache-control']).toContain('no-transform');
    expect(response.written.join('')).toMatch(/retry: \d+\n\n/);
    expect(response.messages).toEqual([['usage']]);
  });

  it('sends the first change of a kind at once, and later ones combined', () => {
    stream.begin('id', []);
    stream.announce('usage');
    for (let count = 0; count < 10; count += 1) stream.announce('usage');
    expect(response.messages).toEqual([['usage']]);
    jest.advanceTimersByTime(1499);
    expect(response.messages).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(response.messages).toEqual([['usage'], ['usage']]);
    jest.advanceTimersByTime(60_000);
    expect(response.messages).toHaveLength(2);
  });

  it('does not delay one kind of change because of another', () => {
    stream.begin('id', []);
    for (const kind of ['usage', 'user', 'status', 'channels'] as const) stream.announce(kind);
    expect(response.messages).toEqual([['usage'], ['user'], ['status'], ['channels']]);
  });

  it('buffers nothing for a slow reader, and sends the missed changes when it reads again', () => {
    stream.begin('id', []);
    response.writableNeedDrain = true;
    const before = response.written.length;
    for (let count = 0; count < 1000; count += 1)
      for (const kind of ['usage', 'status'] as const) stream.announce(kind);
    expect(response.written).toHaveLength(before);
    response.writableNeedDrain = false;
    response.emit('drain');
    expect(response.messages).toEqual([['usage', 'status']]);
  });

  it('closes the stream of a reader that reads nothing for a heartbeat', () => {
    stream.begin('id', []);
    response.writableNeedDrain = true;
    jest.advanceTimersByTime(LIVE_HEARTBEAT_MS);
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(LIVE_HEARTBEAT_MS);
    expect(response.destroyed).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sends a heartbeat when nothing changes', () => {
    stream.begin('id', []);
    const before = response.written.length;
    jest.advanceTimersByTime(2 * LIVE_HEARTBEAT_MS);
    expect(response.written.slice(before)).toEqual([':\n\n', ':\n\n']);
  });

  it('ends with a retry hint, and leaves no timer', () => {
    stream.begin('id', ['usage']);
    stream.end();
    expect(response.written.at(-1)).toMatch(/^retry: \d+\n\n$/);
    expect(response.writableEnded).toBe(true);
    stream.announce('usage');
    stream.announce('status');
    expect(response.messages).toEqual([['usage']]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
