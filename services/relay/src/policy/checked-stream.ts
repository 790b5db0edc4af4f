import type { Usage } from '@tollgate/contracts';
import { type ClientError, isFiller, type ReplyStream, type ReplyText, type UpstreamFault } from '@tollgate/providers';
import { type ReplyCheck, WORDS_DETECTED } from './word-checks.js';

/** The fault of a reply that contains a sensitive word. The channel is not blamed for it. */
export const wordsFault = {
  class: 'ok',
  type: 'new_api_error',
  ...WORDS_DETECTED,
} as const satisfies UpstreamFault;

/** Most bytes that one stream may hold back, regardless of the number of pieces. */
const MOST_HELD = 1024 * 1024;

interface Held {
  frames: Buffer;
  /** Characters of the text that were delivered once these frames are sent. */
  textLength: number;
}

/**
 * A stream whose text is checked for sensitive words before it is forwarded. The last pieces are held back, so that a
 * word that is spread over several pieces has not been partly delivered when it is found. Then the stream ends, and
 * what was held back is neither delivered nor charged.
 */
export class CheckedStream implements ReplyStream {
  private readonly held: Held[] = [];
  private heldBytes = 0;
  private looked = 0;
  private textLength = 0;
  private wasFound = false;

  constructor(
    private readonly inner: ReplyStream,
    private readonly check: ReplyCheck,
  ) {}

  get isComplete(): boolean {
    return !this.wasFound && this.inner.isComplete;
  }

  get isDone(): boolean {
    return this.wasFound || this.inner.isDone;
  }

  get fault(): UpstreamFault | undefined {
    return this.wasFound ? wordsFault : this.inner.fault;
  }

  get malformedEvents(): number {
    return this.inner.malformedEvents;
  }

  hasEnded(): boolean {
    return !this.wasFound && this.inner.hasEnded();
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.wasFound ? undefined : this.pass(this.inner.push(chunk));
  }

  close(): Buffer | undefined {
    return this.wasFound ? undefined : this.pass(this.inner.close());
  }

  /** After a word was found, the upstream's usage is ignored, because it covers more than was delivered. */
  usage(): Usage | undefined {
    return this.wasFound ? undefined : this.inner.usage();
  }

  usageSoFar(): Usage | undefined {
    const stated = this.inner.usageSoFar();
    return stated && this.wasFound ? { ...stated, outputTokens: 0 } : stated;
  }

  text(): ReplyText {
    const all = this.inner.text();
    return this.wasFound ? { text: all.text.slice(0, this.textLength), droppedBytes: 0, toolCalls: 0 } : all;
  }

  lastFrames(usage?: Usage): Buffer {
    return Buffer.concat([...this.release(0), this.inner.lastFrames(usage)]);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    const rest = this.wasFound ? [] : this.release(0);
    return Buffer.concat([...rest, this.inner.errorFrames(error, requestId)]);
  }

  dispose(): void {
    this.inner.dispose();
  }

  private pass(frames: Buffer | undefined): Buffer | undefined {
    const { text } = this.inner.text();
    if (text.length > this.looked) {
      this.wasFound = this.check.finds(text.slice(Math.max(0, this.looked - this.check.overlap)));
      this.looked = text.length;
      if (this.wasFound) return undefined;
    }
    if (!frames || isFiller(frames)) return frames;
    this.held.push({ frames, textLength: text.length });
    this.heldBytes += frames.length;
    const out = this.release(this.check.heldPieces);
    return out.length === 0 ? undefined : Buffer.concat(out);
  }

  /** Removes and returns all held pieces except the last `kept`. */
  private release(kept: number): Buffer[] {
    const out: Buffer[] = [];
    while (this.held.length > kept || this.heldBytes > MOST_HELD) {
      const first = this.held.shift();
      if (!first) break;
      this.heldBytes -= first.frames.length;
      this.textLength = first.textLength;
      out.push(first.frames);
    }
    return out;
  }
}
