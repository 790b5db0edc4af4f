import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginsEvents, isFiller, readSseEvent, SseOverflow, SseSplitter } from './sse.js';

const split = (bytes: Buffer, sizes: number[], limit?: number) => {
  const splitter = new SseSplitter(limit);
  const events: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    events.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  events.push(...splitter.push(bytes.subarray(at)));
  const rest = splitter.end();
  return { events, all: rest ? [...events, rest] : events };
};

const fieldsOf = (events: Buffer[]) => events.map(readSseEvent).filter(({ data }) => data !== undefined);

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom(
    'data',
    'data:',
    'data:  two',
    'event: ping',
    'event:x',
    ': comment',
    'id: 7',
    'retry: 5',
    'dataset: no',
    'data: 你好 🎉',
  ),
);
const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n', '\r'));
const stream = fc
  .array(event, { maxLength: 8 })
  .map((events) =>
    Buffer.from(events.map(([lines, newline]) => lines.map((text) => text + newline).join('') + newline).join('')),
  );

describe('SseSplitter', () => {
  it('gives the same events and every byte, whatever the chunking', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), (bytes, sizes) => {
        const whole = split(bytes, []);
        const cut = split(bytes, sizes);
        expect(fieldsOf(cut.all)).toEqual(fieldsOf(whole.all));
        expect(Buffer.concat(cut.all)).toEqual(bytes);
      }),
    );
  });

  it('reads CRLF, several data lines, comments and characters split between chunks', () => {
    const bytes = Buffer.from(': hello\r\nevent: note\r\ndata: 你\r\ndata: 好\r\n\r\ndata:x\n\n');

    for (let size = 1; size < bytes.length; size += 1) {
      const sizes = Array.from({ length: Math.floor(bytes.length / size) }, () => size);
      expect(fieldsOf(split(bytes, sizes).events)).toEqual([
        { type: 'note', data: '你\n好' },
        { type: undefined, data: 'x' },
      ]);
    }
  });

  it('skips a byte order mark', () => {
    expect(readSseEvent(Buffer.from('\ufeffdata: 1\n\n')).data).toBe('1');
  });

  it('accepts a line of a megabyte, and throws for one beyond the limit instead of cutting it', () => {
    const bytes = Buffer.from(`data: ${'x'.repeat(1_000_000)}\n\n`);

    expect(split(bytes, [1000, 500_000]).events[0]).toHaveLength(bytes.length);
    expect(() => split(bytes, [1000], 999_999)).toThrow(SseOverflow);
    expect(() => split(bytes.subarray(0, 500), [250], 400)).toThrow('longer than 400 bytes');
  });

  it.each([
    ['empty lines', '\n'],
    ['empty lines of the other kind', '\r\n'],
    ['comments', ': x\n\n'],
    ['events without data', 'event: x\n\n'],
  ])('gives a chunk of %s as one piece', (_, filler) => {
    const chunk = Buffer.from(filler.repeat(10_000));
    const splitter = new SseSplitter();
    expect(splitter.push(chunk)).toEqual([chunk]);
    expect(splitter.push(Buffer.concat([chunk, Buffer.from('data: 1\n\n')])).map(String)).toEqual([
      chunk.toString(),
      'data: 1\n\n',
    ]);
  });

  it('limits bytes without data', () => {
    const splitter = new SseSplitter(1000);
    const filler = Buffer.from(': x\n\n'.repeat(100));
    const event = Buffer.from('data: 1\n\n');
    for (let time = 0; time < 10; time += 1) splitter.push(Buffer.concat([filler, event]));
    splitter.push(filler);
    splitter.push(filler);
    expect(() => splitter.push(filler)).toThrow(SseOverflow);
  });

  it.each<[string, boolean | undefined]>([
    ['data: {}\n\n', true],
    ['event: x\n', true],
    ['id:1\n', true],
    ['retry: 1\n', true],
    [': comment\n\n', true],
    ['\ufeff\r\n\ndata:{}', true],
    ['', undefined],
    ['\n\n', undefined],
    ['dat', undefined],
    ['\ufeffeven', undefined],
    ['{"id":1}', false],
    ['[{}]', false],
    ['database:', false],
    ['<html>', false],
    [' data: {}', false],
  ])('recognises events by the first bytes: %j', (text, expected) => {
    expect(beginsEvents(Buffer.from(text))).toBe(expected);
  });

  it('cannot tell events from the beginning of a byte order mark', () => {
    expect(beginsEvents(Buffer.from('\ufeff').subarray(0, 2))).toBeUndefined();
  });

  it('recognises filler', () => {
    for (const text of ['\n\n', ': PING\r\n\r\n', 'event: x\nid: 1\n\n', 'event: ping\ndata: {"type": "ping"}\n\n'])
      expect([text, isFiller(Buffer.from(text))]).toEqual([text, true]);
    for (const text of ['data: {}\n\n', '{"error":1}', '[{}', ': x\n\ndata: 1\n\n'])
      expect([text, isFiller(Buffer.from(text))]).toEqual([text, false]);
  });

  it('keeps an event without its blank line for the end', () => {
    const { events, all } = split(Buffer.from('data: a\n\ndata: b'), []);

    expect(events).toHaveLength(1);
    expect(fieldsOf(all).map(({ data }) => data)).toEqual(['a', 'b']);
  });
});
