import { describe, expect, it } from '@jest/globals';
import type { ClientRequest, JsonObject } from '../adapter.js';
import type { Edits } from './quirks.js';
import { editForLimit, limitedBytes } from './output-limit.js';

const editsOf = (json: JsonObject, model: string, before: Edits = new Map()): JsonObject => {
  editForLimit(json, { limit: 100, model }, before);
  return Object.fromEntries(before);
};

describe('the limit that a quota pays for', () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    ['put in where there is none', {}, 'gpt-4o', { max_tokens: 100 }],
    ['put in under the name of the model', {}, 'o3-mini', { max_completion_tokens: 100 }],
    ['put in for a newer model', {}, 'gpt-5', { max_completion_tokens: 100 }],
    ['lowered under the name of the client', { max_completion_tokens: 500 }, 'gpt-4o', { max_completion_tokens: 100 }],
    [
      'lowered under both',
      { max_completion_tokens: 500, max_tokens: 400 },
      'gpt-4o',
      { max_completion_tokens: 100, max_tokens: 100 },
    ],
    ['left alone where it is lower', { max_tokens: 50 }, 'gpt-4o', {}],
    ['put in for null', { max_tokens: null }, 'gpt-4o', { max_tokens: 100 }],
    ['put in for what is no limit', { max_tokens: 0 }, 'gpt-4o', { max_tokens: 100 }],
  ])('is %s', (_, json, model, edits) => {
    expect(editsOf(json, model)).toEqual(edits);
  });

  it('holds against what a channel puts over the request', () => {
    expect(editsOf({ max_tokens: 50 }, 'gpt-4o', new Map([['max_tokens', 5000]]))).toEqual({ max_tokens: 100 });
  });

  it('leaves all other bytes of a request as they are', () => {
    const text = '{ "model":"gpt-4o",  "x": 1.0 }';
    const request: ClientRequest = {
      ...{ dialect: 'openai', json: JSON.parse(text) as JsonObject, bytes: Buffer.from(text), headers: {} },
      outputLimit: 7,
    };
    expect(limitedBytes(request).toString()).toBe('{"model":"gpt-4o",  "x": 1.0,"max_tokens":7}');
    const { outputLimit: _, ...unlimited } = request;
    expect(limitedBytes(unlimited)).toBe(request.bytes);
  });
});
