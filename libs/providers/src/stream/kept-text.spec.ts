import { describe, expect, it } from '@jest/globals';
import { KeptText, TextRoom } from './kept-text.js';
import { readOpenAiPart } from '../openai-compatible/parts.js';
import { noText, Transcript } from './transcript.js';

const event = (content: string): Buffer => Buffer.from(`data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`);

describe('what running streams keep', () => {
  it('is bounded in sum, and becomes a count where there is no room', () => {
    const room = new TextRoom(100);
    const [first, second] = [new KeptText(room), new KeptText(room)];
    const forty = { ...noText, text: 'x'.repeat(40) };
    expect(first.fit(forty)).toBe(forty);
    expect(second.fit({ ...noText, text: '中文'.repeat(20) })).toEqual({ text: '', droppedBytes: 120, toolCalls: 0 });
    first.dispose();
    first.dispose();
    expect(second.fit(forty)).toBe(forty);
  });

  it('may be zero: the text is still counted', () => {
    const transcript = new Transcript(readOpenAiPart, new TextRoom(0));
    for (let count = 0; count < 100; count += 1) transcript.addPlain(event('ab中'));
    expect(transcript.text()).toEqual({ text: '', droppedBytes: 500, toolCalls: 0 });
  });

  it('keeps its order and all of it when room runs out in the middle', () => {
    const room = new TextRoom(20_000);
    const transcript = new Transcript(readOpenAiPart, room);
    for (let count = 0; count < 1000; count += 1) transcript.addPlain(event('word '));
    const { text, droppedBytes } = transcript.text();
    expect(text.length + droppedBytes).toBe(5000);
    transcript.dispose();
    expect(room.take(20_000)).toBe(true);
  });
});
