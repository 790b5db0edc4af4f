import type { ServerResponse } from 'node:http';
import { LIVE_HEARTBEAT_MS, type LiveKind, type LiveMessage } from '@tollgate/contracts/api/live';
import { inFreshContext } from '@tollgate/chassis';

/**
 * Between two messages of a kind, since each of them makes a console ask. A finished request shall be seen within two seconds, and the
 * questions of one console shall stay below what the server admits of one person.
 */
const GAPS_MS: Record<LiveKind, number> = { status: 1000, usage: 1500, channels: 6000, user: 6000 };

/** Replicas that stop must not meet all consoles at once elsewhere. */
const RETRY_MS = { least: 500, most: 4000 };

const retryHint = (): string =>
  `retry: ${Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least))}\n\n`;

/**
 * One open answer to `GET /api/live`. It holds nothing but the set of kinds that still have to be said: nothing is written while
 * the reader has not taken what was written before, and a reader that takes nothing for a whole heartbeat is dropped.
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
      // Proxies of the kind that gather answers read this.
      'x-accel-buffering': 'no',
      'x-oneapi-request-id': requestId,
    });
    this.response.write(`: Tollgate\n${retryHint()}`);
    for (const kind of missed) this.waiting.add(kind);
    this.flush();
  }

  hear(kind: LiveKind): void {
    this.waiting.add(kind);
    this.flush();
  }

  end(): void {
    this.rest();
    // Whoever does not read gets no good-bye.
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
