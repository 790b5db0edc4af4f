import type { ReplyStream, ReplyText } from '../adapter.js';
import { noText } from '../stream/transcript.js';

const NOTHING = Buffer.alloc(0);

/**
 * A reply that is not text, such as audio: its bytes are forwarded unchanged. The last chunk is held back, so that the outcome is recorded
 * before the client has everything.
 */
export class ByteStream implements ReplyStream {
  private last: Buffer = NOTHING;
  private hasClosed = false;
  readonly fault = undefined;
  readonly malformedEvents = 0;
  /** The reply is complete only when the upstream's body ends. */
  readonly isDone = false;

  get isComplete(): boolean {
    return this.hasClosed && this.last.length > 0;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (chunk.length === 0) return undefined;
    const ready = Buffer.concat([this.last, chunk.subarray(0, -1)]);
    this.last = chunk.subarray(-1);
    return ready.length > 0 ? ready : undefined;
  }

  close(): undefined {
    this.hasClosed = true;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  usage(): undefined {}

  usageSoFar(): undefined {}

  text(): ReplyText {
    return noText;
  }

  lastFrames(): Buffer {
    return this.last;
  }

  /** Binary data cannot carry an error; the client notices that the rest is missing. */
  errorFrames(): Buffer {
    return NOTHING;
  }

  dispose(): void {
    this.last = NOTHING;
  }
}
