import { describe, expect, it } from '@jest/globals';
import type { Json } from '@tollgate/providers';
import { mediaTokens } from './media-tokens.js';
import { requestBound } from './request-bound.js';

const rules = { model: 'gpt-4o', looks: true };
const of = (...content: Json[]) => mediaTokens({ messages: [{ role: 'user', content }] }, rules);
const data = (length: number): string => `data:image/png;base64,${'A'.repeat(length)}`;

describe('mediaTokens', () => {
  it('counts pictures by the piece, not by their bytes', () => {
    const small = of({ type: 'image_url', image_url: { url: data(100) } });
    expect(small).toEqual(of({ type: 'image_url', image_url: { url: data(1_000_000) } }));
    const block = (length: number): Json => ({ type: 'image', source: { type: 'base64', data: 'A'.repeat(length) } });
    expect(of(block(4))).toEqual({ image: 1000, audio: 0 });
    expect(of(block(4))).toEqual(of(block(1_000_000)));
    expect(small.image).toBeGreaterThan(of({ type: 'image_url', image_url: { url: data(100), detail: 'low' } }).image);
  });

  it('counts sound by its length', () => {
    const sound = (bytes: number, format: string) => ({
      type: 'input_audio',
      input_audio: { data: 'A'.repeat(bytes), format },
    });
    expect(of(sound(210_000, 'mp3')).audio).toBe(200);
    expect(of(sound(640_000, 'wav')).audio).toBe(200);
  });

  it.each<[string, Json, { image: number; audio: number }]>([
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, { image: 0, audio: 100 }],
    ['a file', { type: 'file', file: { file_data: 'AAAA' } }, { image: 5000, audio: 0 }],
    ['a film', { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }, { image: 5000, audio: 0 }],
  ])('counts %s for something, however small', (_, part, expected) => {
    expect(of(part)).toEqual(expected);
    const { prompt } = requestBound({
      ...{ json: { messages: [{ role: 'user', content: [part] }] }, size: 100, endpoint: 'chat', models: ['gpt-4o'] },
    });
    expect(prompt.imageTokens).toBeGreaterThanOrEqual(expected.image);
    expect(prompt.audioTokens).toBeGreaterThanOrEqual(expected.audio);
  });

  it('counts an earlier spoken answer that is given by its id', () => {
    const messages = [
      { role: 'assistant', audio: { id: 'audio_1' } },
      { role: 'user', content: 'and then?' },
    ];
    expect(mediaTokens({ messages }, rules)).toEqual({ image: 0, audio: 600 });
  });

  it('counts a picture in the text of an earlier answer where it is sent as one', () => {
    const content = 'Here: ![image](data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==)';
    const shown = { messages: ['assistant', 'user'].map((role) => ({ role, content })) };
    expect(mediaTokens(shown, rules, true)).toEqual({ image: 1000, audio: 0 });
    expect(mediaTokens(shown, rules)).toEqual({ image: 0, audio: 0 });
  });

  it('finds media in tool results, and does not take text for media', () => {
    const picture = { type: 'image', source: { type: 'base64', data: 'AAAA' } };
    expect(of({ type: 'tool_result', content: [picture] })).toEqual(of(picture));
    expect(of({ type: 'text', text: 'image_url' }, 'image')).toEqual({ image: 0, audio: 0 });
    expect(of({ type: 'document', source: { type: 'text', data: 'words' } })).toEqual({ image: 0, audio: 0 });
    expect(of({ type: 'document', source: { type: 'base64', data: 'A'.repeat(1000) } }).image).toBeGreaterThan(0);
  });

  it('tolerates any input', () => {
    for (const messages of [null, 'text', [null, 1, { content: 'x' }, { content: [null, { type: '__proto__' }] }]])
      expect(mediaTokens({ messages: messages as Json }, rules)).toEqual({ image: 0, audio: 0 });
  });
});
