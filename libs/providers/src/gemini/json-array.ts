import type { ClientError, ReplyStream } from '../adapter.js';
import { readSseEvent, SseSplitter } from '../stream/sse.js';

/**
 * Presents a stream as one growing JSON array, as clients of `:streamGenerateContent` without `alt=sse` expect. Every frame is a whole
 * event, so each becomes one item.
 */
export function asJsonArray(stream: ReplyStream): ReplyStream {
  let hasItems = false;
  const itemsOf = (frames: Buffer | undefined): Buffer | undefined => {
    if (!frames) return undefined;
    const items = new SseSplitter()
      .push(frames)
      .flatMap((event) => readSseEvent(event).data ?? [])
      .map((data) => {
        const before = hasItems ? ',\r\n' : '[';
        hasItems = true;
        return before + data;
      });
    return items.length === 0 ? undefined : Buffer.from(items.join(''));
  };
  const closed = (frames: Buffer): Buffer => {
    const items = itemsOf(frames) ?? Buffer.alloc(0);
    return Buffer.concat([hasItems ? items : Buffer.from('['), Buffer.from(']\r\n')]);
  };
  return {
    push: (chunk) => itemsOf(stream.push(chunk)),
    close: () => itemsOf(stream.close()),
    get isComplete() {
      return stream.isComplete;
    },
    get isDone() {
      return stream.isDone;
    },
    get fault() {
      return stream.fault;
    },
    get malformedEvents() {
      return stream.malformedEvents;
    },
    hasEnded: () => stream.hasEnded(),
    usage: () => stream.usage(),
    usageSoFar: () => stream.usageSoFar(),
    text: () => stream.text(),
    lastFrames: (usage) => closed(stream.lastFrames(usage)),
    errorFrames: (error: ClientError, requestId: string) => closed(stream.errorFrames(error, requestId)),
    dispose: () => stream.dispose(),
  };
}
