import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { FakeDialect, JsonObject } from '../fake-upstream/dialects.js';
import { dialects } from '../fake-upstream/all-dialects.js';
import type { WitnessEntry } from './witness.js';

/** One request, with the means to answer it correctly or not. */
export class Stage {
  readonly json: JsonObject;
  readonly isStream: boolean;
  readonly endpoint: 'chat' | 'completions' | 'messages' | 'embeddings';

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly entry: WitnessEntry,
    /** Aborted when the client disconnects or the upstream is closed. */
    readonly signal: AbortSignal,
  ) {
    this.json = parse(entry.body);
    this.isStream = this.json.stream === true;
    this.endpoint = endpointOf(entry.path);
  }

  get dialect(): FakeDialect {
    return this.endpoint === 'embeddings' ? dialects.chat : dialects[this.endpoint];
  }

  /** Sends status and headers immediately, even if no body follows. */
  head(status: number, headers: Record<string, string | number> = {}): void {
    this.response.writeHead(status, headers).flushHeaders();
  }

  streamHead(contentType = 'text/event-stream; charset=utf-8'): void {
    this.head(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  }

  /** Waits while the client does not read; rejects if it has disconnected. */
  async write(bytes: Buffer | string): Promise<void> {
    this.signal.throwIfAborted();
    const buffer = Buffer.from(bytes as string);
    this.entry.bytesSent += buffer.length;
    this.entry.lastWriteAt = performance.now();
    if (!this.response.write(buffer)) await once(this.response, 'drain', { signal: this.signal });
  }

  async end(bytes: Buffer | string = ''): Promise<void> {
    if (bytes.length > 0) await this.write(bytes);
    this.response.end();
    await once(this.response, 'close');
  }

  pause(ms: number): Promise<void> {
    return setTimeout(ms, undefined, { signal: this.signal });
  }

  /** Resolves when the client disconnects. */
  async wait(): Promise<void> {
    await once(this.signal, 'abort');
  }
}

function parse(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString('utf8')) as JsonObject;
  } catch {
    return {};
  }
}

function endpointOf(path: string): Stage['endpoint'] {
  const [name = ''] = path.split('?');
  if (/\/(?:chat\/completions|chatcompletion_v2)$/.test(name)) return 'chat';
  if (name.endsWith('/messages')) return 'messages';
  return name.endsWith('/embeddings') ? 'embeddings' : 'completions';
}
