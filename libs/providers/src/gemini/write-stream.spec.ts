import { describe, expect, it } from '@jest/globals';
import { dataOf, play, replyContext } from '../../test/factories.js';
import { TextRoom } from '../stream/kept-text.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { gemini } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });
const MB = 1024 * 1024;
const piece = (text: string): Buffer => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: text } };
  return Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`);
};

describe('calls that wait for the end of a stream', () => {
  it('take of the room for texts, and give it back', () => {
    const room = new TextRoom(3 * MB);
    const stream = gemini.openStream(replyContext({ room }));
    const frames = play(stream, Buffer.concat([piece('{"a":"'), piece('x'.repeat(MB / 2)), piece('"}')]));
    expect(stream.fault).toBeUndefined();
    expect(JSON.stringify(dataOf(frames + stream.lastFrames().toString())).length).toBeGreaterThan(MB / 2);
    expect(room.take(2.5 * MB)).toBe(false);
    stream.dispose();
    expect(room.take(3 * MB)).toBe(true);
  });

  it('are a fault where there is no room for them', () => {
    const stream = gemini.openStream(replyContext({ room: new TextRoom(MB) }));
    play(stream, Buffer.concat([piece('x'.repeat(MB / 4)), piece('x'.repeat(MB / 2))]));
    expect(stream.fault).toMatchObject({ message: expect.stringContaining('more than can be kept') });
  });

  it('are a fault beyond all measure, whatever room there is', () => {
    const stream = gemini.openStream(replyContext());
    play(stream, Buffer.concat(Array.from({ length: 17 }, () => piece('x'.repeat(MB)))));
    expect(stream.fault).toMatchObject({ message: expect.stringContaining('more than can be kept') });
  });
});
