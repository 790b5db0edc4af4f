import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AlikeEvents } from './alike-events.js';
import { EventShape } from './event-shape.js';
import { parseObject } from '../json/json.js';
import { readOpenAiPart } from '../openai-compatible/parts.js';
import { TextRoom } from './kept-text.js';
import type { PartReader } from './event-part.js';
import { Transcript } from './transcript.js';

const read: PartReader = readOpenAiPart;
const readData = (data: string) => {
  const json = parseObject(data);
  return json && read(json);
};
const eventOf = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
const said = (text: string): Buffer => Buffer.from(eventOf({ content: text }));
const textIn = (shape: EventShape | undefined, bytes: Buffer): string | undefined => {
  const end = shape?.textEnd(bytes, 0) ?? -1;
  return end === -1 ? undefined : bytes.toString('utf8', shape?.headBytes, end);
};

describe('the shape of events', () => {
  it('is what they have around their text', () => {
    const shape = EventShape.of(said(' word'), readData);
    expect(textIn(shape, said('another'))).toBe('another');
    expect(textIn(shape, said(''))).toBe('');
    expect(textIn(shape, said('zwölf 漢字 \n'))).toBe(String.raw`zwölf 漢字 \n`);
    expect(shape?.frameBytes).toBe(said('').length);
  });

  it.each([
    ['a text with a quote in it', said('say "so"')],
    ['a text that ends with a backslash', said('so\\')],
    ['another member', Buffer.from(eventOf({ content: ' word', tool_calls: [] }))],
    ['the reason of the end', Buffer.from(eventOf({ content: ' word' }, { finish_reason: 'stop' }))],
    ['an event without its end', said(' word').subarray(0, -1)],
    ['a line feed within the text', Buffer.from(said('aXb').toString().replace('X', '\n'))],
  ])('leaves %s to whoever reads whole events', (_, bytes) => {
    expect(textIn(EventShape.of(said(' word'), readData), bytes)).toBeUndefined();
  });

  it.each([
    ['has no text', eventOf({ role: 'assistant', content: '' })],
    ['has two texts', eventOf({ content: 'a', reasoning_content: 'b' })],
    ['names a tool', eventOf({ content: 'a', tool_calls: [{ index: 0, function: { name: 'f' } }] })],
    ['ends the answer', eventOf({ content: 'a' }, { finish_reason: 'stop' })],
    ['is no JSON', 'data: {"content":"a"\n\n'],
    [
      'has its text written otherwise than we would',
      said('é')
        .toString()
        .replace('é', String.raw`\u00e9`),
    ],
  ])('is not taken from an event that %s', (_, event) => {
    expect(EventShape.of(Buffer.from(event), readData)).toBeUndefined();
  });

  it('is right even if the same text occurs elsewhere in the event', () => {
    const shape = EventShape.of(said('content'), readData);
    expect(textIn(shape, said('x'))).toBe('x');
    expect(EventShape.of(said('stop'), readData)?.frameBytes).toBe(said('').length);
  });
});

const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\\"', '\n', '{', ' ok', '"usage":1'),
);
const delta = fc.oneof(
  piece.map((content) => ({ content })),
  piece.map((text) => ({ reasoning_content: text })),
  fc.constant({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a":1}' } }] }),
  fc.constant({ role: 'assistant', content: '' }),
);

describe('a transcript', () => {
  it('says the same whether or not events are taken for alike, whatever comes together', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(delta, { minLength: 1, maxLength: 4 }), { maxLength: 40 }),
        fc.nat(3),
        (writes, asks) => {
          const [plain, alike] = [new Transcript(read), new Transcript(read, new TextRoom(100_000))];
          writes.forEach((deltas, at) => {
            const bytes = Buffer.from(deltas.map((one) => eventOf(one)).join(''));
            plain.addPlain(bytes);
            if (!alike.addAlike(bytes)) alike.addPlain(bytes);
            if (at % 4 < asks) expect(alike.text()).toEqual(plain.text());
          });
          expect(alike.text()).toEqual(plain.text());
          expect([alike.id, alike.model, alike.hasEnded()]).toEqual([plain.id, plain.model, plain.hasEnded()]);
          expect(alike.malformedEvents).toBe(0);
        },
      ),
    );
  });

  it('knows which bytes are no text, and never more of them than there are', () => {
    const transcript = new Transcript(read);
    let bytes = 0;
    for (let turn = 0; turn < 50; turn += 1) {
      const event = said(` word${turn}`);
      bytes += event.length;
      if (!transcript.addAlike(event)) transcript.addPlain(event);
    }
    const { text } = transcript.text();
    expect(bytes - transcript.frameBytes).toBeGreaterThanOrEqual(Buffer.byteLength(text));
    expect(bytes - transcript.frameBytes).toBeLessThan(Buffer.byteLength(text) + 3 * said('').length);
  });

  it('counts invalid JSON as written, and nothing else', () => {
    const transcript = new Transcript(read);
    for (const event of [said(' one'), said(' two')]) if (!transcript.addAlike(event)) transcript.addPlain(event);
    const broken = Buffer.from(
      said('XX')
        .toString()
        .replace('XX', String.raw`\x`),
    );
    const quoted = said(' \u{1f600}\n\\u0041');
    const escaped = Buffer.from(quoted.toString().replace('\u{1f600}', String.raw`\ud83d\ude00`));
    for (const event of [broken, escaped]) expect(transcript.addAlike(event)).toBe(true);
    expect(transcript.text().text).toBe(` one two${String.raw`\x`} \u{1f600}\n\\u0041`);
    expect(transcript.malformedEvents).toBe(1);
  });
});

describe('alike events', () => {
  it('are learned again when the events change, a limited number of times', () => {
    let lessons = 0;
    const alike = new AlikeEvents((json) => {
      lessons += 1;
      return read(json);
    });
    const add = (event: Buffer): boolean => {
      const matched = alike.match(event, () => undefined);
      if (!matched) alike.learn(event);
      return matched;
    };
    const thought = (text: string): Buffer => Buffer.from(eventOf({ reasoning_content: text }));
    expect([thought('a'), thought('b')].map(add)).toEqual([false, true]);
    for (let turn = 0; turn < 8; turn += 1) add(said('x'));
    expect(add(said('y'))).toBe(true);
    const before = lessons;
    for (let turn = 0; turn < 1000; turn += 1) add(Buffer.from(eventOf({ content: 'x', place: turn })));
    expect(lessons - before).toBeLessThan(40);
  });
});
