import { describe, expect, it } from '@jest/globals';
import { type Json, lazyObject, requestMembers, scanObject } from '@tollgate/providers';
import { promptText, taskText, wholePromptText } from './prompt-text.js';

const of = (content: Json): string => promptText({ messages: [{ role: 'user', content }] });

describe('the text of a prompt', () => {
  it.each<[string, Json]>([
    ['a plain text', 'the words'],
    ['a text that begins like data', 'data: the words'],
    ['a text that looks like a picture', 'data:image/png;base64,the words'],
    ['a part', [{ type: 'text', text: 'data: the words' }]],
    ['a part that says it is a picture', [{ type: 'image_url', text: 'the words' }]],
    ['a part of another make', [{ type: 'image', content: [{ text: 'the words' }] }]],
  ])('is found in %s', (_, content) => {
    expect(of(content)).toContain('the words');
  });

  it.each([
    ...['suffix', 'functions', 'instructions', 'response_format', 'prediction', 'prompt', 'input', 'tools'],
    // Members of other dialects, in bodies that are forwarded byte for byte.
    ...['message', 'chat_history', 'preamble', 'contents', 'systemInstruction'],
  ])('is found in `%s`', (name) => {
    expect(promptText({ [name]: [{ description: 'data: the words' }] })).toContain('the words');
  });

  it('has no media in it', () => {
    const data = `data:image/png;base64,${'A'.repeat(100)}`;
    const parts: Json = [
      { type: 'image_url', image_url: { url: data } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'unheard-of', url: data },
      { type: 'text', text: 'only this' },
    ];
    expect(of(parts)).toBe('user\nonly this');
    const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' };
    expect(promptText({ input: [drawn] })).not.toContain('AAAA');
  });

  it('has of texts to embed their parts and titles, and nothing of how', () => {
    const request = (text: string): Json => ({
      ...{ model: 'models/gemini-embedding-001', taskType: 'RETRIEVAL_DOCUMENT', title: `about ${text}` },
      content: { role: 'user', parts: [{ text }] },
    });
    expect(promptText({ requests: [request('a'), request('b')] })).toBe('a\nabout a\nb\nabout b');
  });

  it('ends at a mebibyte where it is counted', () => {
    expect(of('x'.repeat(3 * 1024 * 1024)).length).toBeLessThanOrEqual(1024 * 1024 + 5);
  });

  const nested = (depth: number): Json => (depth === 0 ? 'the words' : [nested(depth - 1)]);
  it.each<[string, { [name: string]: Json }]>([
    ['after a padding in the same text', { messages: [{ content: `${'x '.repeat(1024 * 1024)}the words` }] }],
    ['after a padding in `system`', { system: 'x '.repeat(1024 * 1024), messages: [{ content: 'the words' }] }],
    ['deep in lists', { messages: [{ content: nested(100) }] }],
  ])('is whole where it is checked: %s', (_, body) => {
    const bytes = Buffer.from(JSON.stringify(body));
    expect(wholePromptText(body)).toContain('the words');
    expect(wholePromptText(lazyObject(bytes, scanObject(bytes, requestMembers), () => undefined))).toContain(
      'the words',
    );
  });
});

describe('the text of a submission', () => {
  it('has every text of a song, and no names and addresses', () => {
    const texts = ['prompt', 'gpt_description_prompt', 'title', 'tags', 'negative_tags', 'lyrics'];
    const names = { mv: 'chirp-v3-0', task_id: 'a-task', continue_clip_id: 'a-clip', notify_hook: 'https://hook' };
    const song = { ...Object.fromEntries(texts.map((name) => [name, `the ${name}`])), ...names };
    expect(taskText('suno', song).split('\n')).toEqual(texts.map((name) => `the ${name}`));
  });

  it('has the prompt of a drawing, and no pictures', () => {
    expect(taskText('midjourney', { prompt: 'a cat', base64Array: ['data:image/png;base64,AAAA'] })).toBe('a cat');
  });
});
