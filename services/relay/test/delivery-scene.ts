import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type ReplyStream, SseOverflow } from '@tollgate/providers';
import type { ReadOn } from '../src/upstream/departure.js';
import { pingFor } from '../src/reply/ping.js';
import { type Delivered, type DeliveryHooks, StreamDelivery } from '../src/reply/stream-delivery.js';
import { type BodySink, UpstreamFailure } from '../src/upstream/upstream-response.js';

/** A client that takes `room` writes before it reports that it is full. */
class Client extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  room = Infinity;

  constructor(private readonly story: string[]) {
    super();
  }

  write(frames: Buffer): boolean {
    this.story.push(`client ${frames.toString()}`);
    this.room -= 1;
    return this.room > 0;
  }

  leave(): void {
    this.destroy();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/**
 * A stream that forwards chunks unchanged; `end` completes it, `fault` breaks it, `huge` exceeds the parser's limit.
 */
class Stream {
  isComplete = false;
  isDone = false;
  fault: ReplyStream['fault'];

  push(chunk: Buffer): Buffer | undefined {
    const text = chunk.toString();
    if (this.fault) return undefined;
    if (text === 'huge') throw new SseOverflow(1);
    if (text.startsWith('silent')) return undefined;
    if (text === 'bug') throw new TypeError('a bug');
    if (text === 'end') this.isComplete = true;
    else if (text === 'done') this.isDone = this.isComplete = true;
    else if (text === 'fault') this.fault = { class: 'upstream', message: 'no', type: 'x', code: 'x' };
    else return chunk;
    return undefined;
  }

  close(): Buffer | undefined {
    return undefined;
  }
}

interface Scene {
  story: string[];
  client: Client;
  say(...chunks: string[]): void;
  end(): void;
  breakOff(): void;
  /** Chunks that the next `resume` delivers synchronously. */
  held: string[];
  /** The promise that the first record waits for. */
  record: PromiseWithResolvers<void>;
  result: Promise<Delivered>;
}

/** One delivery, whose client and upstream are controlled by the test. */
export function scene(pingMs?: number, readOn?: ReadOn, purse: DeliveryHooks['affords'] = () => true): Scene {
  const story: string[] = [];
  const client = new Client(story);
  const record = Promise.withResolvers<void>();
  let sink: BodySink | undefined;
  const held: string[] = [];
  const upstream = {
    pipe: (given: BodySink) => void (sink = given),
    pause: () => void story.push('pause'),
    resume: () => {
      story.push('resume');
      for (const chunk of held.splice(0)) sink?.data(Buffer.from(chunk));
    },
    abort: () => void story.push('abort'),
  };
  const hooks: DeliveryHooks = {
    beforeFirst: () => {
      story.push('record');
      return record.promise;
    },
    progress: () => void story.push('progress'),
    head: () => void story.push('head'),
    readOn: () => readOn,
    affords: (bytes, text) => purse(bytes, text),
    ...(pingMs !== undefined && { ping: { everyMs: pingMs, bytes: pingFor('openai') } }),
  };
  const delivery = new StreamDelivery(
    upstream,
    new Stream() as unknown as ReplyStream,
    client as unknown as ServerResponse,
    hooks,
  );
  const result = delivery.run();
  return {
    story,
    client,
    record,
    result,
    held,
    say: (...chunks) => chunks.forEach((chunk) => sink?.data(Buffer.from(chunk))),
    end: () => sink?.end(),
    breakOff: () => sink?.error(new UpstreamFailure('network')),
  };
}
