import { describe, expect, it } from '@jest/globals';
import { JsonLines } from './json-lines.js';
import { SseOverflow } from './sse.js';

const cut = (text: string, size: number): string[] => {
  const bytes = Buffer.from(text);
  const lines = new JsonLines();
  const events: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...lines.push(bytes.subarray(at, at + size)));
  const rest = lines.end();
  return [...events, ...(rest ? [rest] : [])].map(String);
};

describe('JsonLines', () => {
  const text = '{"a":"Ü"}\r\n\n{"b":2}\n{"c":3}';

  it.each([1, 2, 5, 100])('gives a line an event, cut every %i bytes', (size) => {
    expect(cut(text, size)).toEqual(['data: {"a":"Ü"}\n\n', 'data: {"b":2}\n\n', 'data: {"c":3}\n\n']);
  });

  it('takes events for lines where the server sends those', () => {
    expect(cut('event: x\ndata: {"a":1}\n\n: ping\ndata: [DONE]\n\n', 7)).toEqual(['data: {"a":1}\n\n']);
  });

  it('ends with a line that is longer than any', () => {
    expect(() => new JsonLines(10).push(Buffer.from('{"a":"0123456789"'))).toThrow(SseOverflow);
  });
});
