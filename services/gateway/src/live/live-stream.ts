import type { ServerResponse } from 'node:http';
import { LIVE_HEARTBEAT_MS, type LiveKind, type LiveMessage } from '@tollgate/contracts/api/live';
import { inFreshContext } from '@tollgate/chassis';

/**
 * Minimum time between two messages of a kind, since each message makes a console send requests. A finished request
 * should be visible within two seconds, and the requests of one console must stay below its rate limit.
 */
const GAPS_MS: Record<LiveKind, number> = { status: 1000, usage: 1500, channels: 6000, user: 6000 };

/** Random delays, so that the consoles of a replica that stops do not all reconnect at the same moment. */
const RETRY_MS = { least: 500, most: 4000 };

const retryHint = (): string =>
  `retry: ${Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least))}\n\n`;

/**
 * One open reply to `GET /api/live`. It buffers only the set of kinds that still have to be sent: nothing is written
 * while the client has not read the previous message, and a client that reads nothing during a whole heartbeat is
 * disconnected.
 */
export class LiveStream {
  private readonly resting = new Map<LiveKind, NodeJS.Timeout>();
  private readonly waiting = new Set<LiveKind>();
  private readonly heartbeat: NodeJS.Timeout;
  private wasStuck = false;

  constructor(private readonly response: ServerResponse) {
    response.on('drain', () => this.flush());
    response.once('close', () => this.rest());
    this.heartbeat = inFreshContext(() => setInterval(() => this.beat(), LIVE_HEARTBEAT_MS));
    this.heartbeat.unref();
  }

  begin(requestId: string, missed: readonly LiveKind[]): void {
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Keeps nginx and similar proxies from buffering the reply.
      'x-accel-buffering': 'no',
      'x-oneapi-request-id': requestId,
    });
    this.response.write(`: Tollgate\n${retryHint()}`);
    for (const kind of missed) this.waiting.add(kind);
    this.flush();
  }

  announce(kind: LiveKind): void {
    this.waiting.add(kind);
    this.flush();
  }

  end(): void {
    this.rest();
    // A client that does not read is disconnected without a last message.
    if (this.isStuck) this.response.destroy();
    else if (!this.response.writableEnded) this.response.end(retryHint());
  }

  private get isStuck(): boolean {
    return this.response.writableNeedDrain;
  }

  private flush(): void {
    if (this.isStuck || this.response.writableEnded || this.response.destroyed) return;
    const changed = [...this.waiting].filter((kind) => !this.resting.has(kind));
    if (changed.length === 0) return;
    for (const kind of changed) {
      this.waiting.delete(kind);
      this.pause(kind);
    }
    this.response.write(`data: ${JSON.stringify({ changed } satisfies LiveMessage)}\n\n`);
  }

  private pause(kind: LiveKind): void {
    const timer = inFreshContext(() =>
      setTimeout(() => {
        this.resting.delete(kind);
        this.flush();
      }, GAPS_MS[kind]),
    );
    timer.unref();
    this.resting.set(kind, timer);
  }

  private beat(): void {
    if (this.isStuck && this.wasStuck) this.response.destroy();
    else if (!this.isStuck) this.response.write(':\n\n');
    this.wasStuck = this.isStuck;
  }

  private rest(): void {
    clearInterval(this.heartbeat);
    for (const timer of this.resting.values()) clearTimeout(timer);
    this.resting.clear();
    this.waiting.clear();
  }
}
