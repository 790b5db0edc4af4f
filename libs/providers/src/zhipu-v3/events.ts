import type { Framing, StreamFraming } from '../stream/framing.js';
import { parseObject } from '../json/json.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';

const META = /^meta: ?(.*)$/m;

/** Merges `data`, which holds the text, and the non-standard field `meta`, which holds the rest, into one JSON object. */
function asJson(event: Buffer): Buffer {
  const { type = '', data } = readSseEvent(event);
  const meta = parseObject(META.exec(event.toString('utf8').replaceAll(/\r\n?/g, '\n'))?.[1] ?? '');
  if (data === undefined && !meta && isFiller(event)) return event;
  const json = { event: type, data: data ?? '', ...(meta && { meta }) };
  return Buffer.from(`data: ${JSON.stringify(json)}\n\n`);
}

class ZhipuEvents implements Framing {
  private readonly events = new SseSplitter();

  get isBetweenEvents(): boolean {
    return this.events.isBetweenEvents;
  }

  push(chunk: Buffer): Buffer[] {
    return this.events.push(chunk).map(asJson);
  }

  end(): Buffer | undefined {
    const rest = this.events.end();
    return rest && asJson(rest);
  }
}

export const zhipuFraming: StreamFraming = { contentType: 'text/event-stream', open: () => new ZhipuEvents() };
