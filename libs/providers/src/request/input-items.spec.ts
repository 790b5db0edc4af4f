import { describe, expect, it } from '@jest/globals';
import type { Json } from '../adapter.js';
import { wrongInput } from './input-items.js';
import { scanObject } from '../json/json-scan.js';
import { lazyObject } from '../json/lazy-json.js';
import { requestMembers } from '../json/member-rules.js';

const picture = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };

const cases: Record<string, { member: string; well: Json[]; wrong: [Json, string][] }> = {
  embeddings: {
    member: 'input',
    well: [
      'text',
      ['a', ' '],
      [1, 2, 0],
      [[1, 2], [3]],
      [{ text: 'a' }, { image: 'https://x.example/a.png' }],
      ['a', { text: 'b' }],
    ],
    wrong: [
      [[null], 'input.0'],
      [[-1], 'input.0'],
      [[1e20], 'input.0'],
      [[''], 'input.0'],
      [['a', ''], 'input.1'],
      [[1, -1], 'input.1'],
      [[1, 'a'], 'input.1'],
      [['a', null], 'input.1'],
      [[1.5], 'input.0'],
      [[[1, -2]], 'input.0.1'],
      [[[]], 'input.0'],
      [[{}], 'input.0'],
      [[true], 'input.0'],
      [{}, 'input'],
      [7, 'input'],
    ],
  },
  completions: {
    member: 'prompt',
    well: ['text', ['a', 'b'], [1, 2], [[1], [2, 3]]],
    wrong: [
      [{}, 'prompt'],
      [{ id: 'pmpt_1' }, 'prompt'],
      [7, 'prompt'],
      [[[1, -2]], 'prompt.0.1'],
      [[1, -2], 'prompt.1'],
      [[{}], 'prompt.0'],
      [[null], 'prompt.0'],
    ],
  },
  moderations: {
    member: 'input',
    well: ['text', ['a', 'b'], [{ type: 'text', text: '' }, picture]],
    wrong: [
      [[{}], 'input.0.type'],
      [[null], 'input.0'],
      [[3], 'input.0'],
      [[{ type: 'text' }], 'input.0.text'],
      [[picture, { type: 'image_url', image_url: {} }], 'input.1.image_url'],
      [[{ type: 'zork' }], 'input.0.type'],
      [{}, 'input'],
    ],
  },
  responses: {
    member: 'input',
    well: ['text', [{ role: 'user', content: 'x' }]],
    wrong: [
      [[null], 'input.0'],
      [['x'], 'input.0'],
      [[{ role: 'user', content: 'x' }, 7], 'input.1'],
    ],
  },
};

describe('what a request is about', () => {
  it.each(Object.entries(cases))('of %s', (endpoint, { member, well, wrong }) => {
    for (const value of well) expect([value, wrongInput({ [member]: value }, endpoint)]).toEqual([value, undefined]);
    for (const [value, path] of wrong)
      expect([value, wrongInput({ [member]: value }, endpoint)]).toEqual([value, path]);
    for (const value of [undefined, null]) expect(wrongInput({ [member]: value as null }, endpoint)).toBeUndefined();
  });

  it('is not checked for other endpoints', () => expect(wrongInput({ input: 7, prompt: {} }, 'chat')).toBeUndefined());

  it('is checked in large bodies too, without parsing them', () => {
    const input = [...Array.from({ length: 3000 }, () => 'some words'), null];
    const bytes = Buffer.from(JSON.stringify({ model: 'm', input }));
    const json = lazyObject(bytes, scanObject(bytes, requestMembers), () => undefined);
    expect(wrongInput(json, 'embeddings')).toBe('input.3000');
  });
});
