import type { Framing } from './framing.js';
import { DEFAULT_MAX_EVENT_BYTES, SseOverflow } from './sse.js';

const LF = 10;
const DATA = /^data: ?/;
/** Lines without data, in case the server sends server-sent events instead. */
const NO_DATA = /^(?:event|id|retry)?:|^(?:data: ?)?\[DONE\]$/;

/** Streams with one JSON object per line. */
export class JsonLines implements Framing {
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(private readonly maxBytes = DEFAULT_MAX_EVENT_BYTES) {}

  get isBetweenEvents(): boolean {
    return this.pendingBytes === 0;
  }

  push(chunk: Buffer): Buffer[] {
    const events: Buffer[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
      this.keep(chunk.subarray(start, at));
      start = at + 1;
      const event = this.take();
      if (event) events.push(event);
    }
    this.keep(chunk.subarray(start));
    return events;
  }

  end(): Buffer | undefined {
    return this.take();
  }

  private keep(part: Buffer): void {
    if (part.length === 0) return;
    this.pendingBytes += part.length;
    if (this.pendingBytes > this.maxBytes) throw new SseOverflow(this.maxBytes);
    this.pending.push(part);
  }

  private take(): Buffer | undefined {
    const line = Buffer.concat(this.pending).toString('utf8').trim();
    this.pending = [];
    this.pendingBytes = 0;
    return line === '' || NO_DATA.test(line) ? undefined : Buffer.from(`data: ${line.replace(DATA, '')}\n\n`);
  }
}
