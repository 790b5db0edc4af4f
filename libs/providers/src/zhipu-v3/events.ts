import type { Framing, StreamFraming } from '../stream/framing.js';
import { parseObject } from '../json/json.js';
import { isFiller, SseSplitter } from '../stream/sse.js';

/** The values of a field, one per line, with all that follows the colon. */
const valuesOf = (field: string, lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1));

/**
 * Merges `data`, which holds the text, and the non-standard field `meta`, which holds the rest, into one JSON object. Other than in the
 * standard, a space behind `data:` belongs to the text.
 */
function asJson(event: Buffer): Buffer {
  const lines = event
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/);
  const data = valuesOf('data', lines);
  const meta = parseObject(valuesOf('meta', lines)[0] ?? '');
  if (data.length === 0 && !meta && isFiller(event)) return event;
  const type = valuesOf('event', lines).at(-1)?.trim() ?? '';
  const json = { event: type, data: data.join('\n'), ...(meta && { meta }) };
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
