import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { apiKeyOf } from '../access/api-key.js';
import { dialectOf } from './dialect.js';
import { geminiCallOf, withQueryKey } from './gemini-call.js';

const query = (text = ''): URLSearchParams => new URLSearchParams(text);
const KEY = 'k'.repeat(48);

describe("a call in Gemini's dialect", () => {
  it('names model and method in its path', () => {
    expect(geminiCallOf('gemini-2.5-pro:generateContent', query())).toEqual({
      method: 'generateContent',
      model: 'gemini-2.5-pro',
      isStream: false,
    });
    expect(geminiCallOf('a%2Fb:v1:streamGenerateContent', query('alt=sse'))).toEqual({
      method: 'streamGenerateContent',
      model: 'a/b:v1',
      isStream: true,
    });
    expect(geminiCallOf('m:streamGenerateContent', query())).toMatchObject({ isStream: true, isJsonArray: true });
    expect(geminiCallOf('m:countTokens', query())).toEqual({ method: 'countTokens', model: 'm', isStream: false });
  });

  it.each([
    ['m', 404],
    [':generateContent', 404],
    [`${'m'.repeat(256)}:generateContent`, 404],
    ['m:predict', 501],
  ])('is refused as %s', (named, status) => {
    expect(() => geminiCallOf(named, query())).toThrow(expect.objectContaining({ status }));
  });

  it("takes Google's key from the header or the query, on these paths only", () => {
    const request = (url: string, headers = {}) => ({ url, headers }) as IncomingMessage;
    const path = '/v1beta/models';
    const keyOf = (url: string, at: string, headers = {}) => apiKeyOf(withQueryKey(request(url, headers), at), at)?.key;

    expect(keyOf(`${path}?key=sk-${KEY}`, path)).toBe(KEY);
    expect(keyOf(`${path}?key=other`, path, { 'x-goog-api-key': KEY })).toBe(KEY);
    expect(keyOf(`/v1/chat/completions?key=${KEY}`, '/v1/chat/completions')).toBeUndefined();
  });

  it.each([
    ['POST', '/v1beta/models/m:generateContent', {}, 'gemini'],
    ['POST', '/v1/models/m:generateContent', {}, 'gemini'],
    ['GET', '/v1/models', { 'x-goog-api-key': 'k' }, 'gemini'],
    ['GET', '/v1/models/ft:gpt-4o:acme::id', {}, 'openai'],
    ['GET', '/v1/models/a:b', { 'x-api-key': 'k', 'anthropic-version': 'v' }, 'anthropic'],
    ['GET', '/v1beta/openai/models', {}, 'openai'],
    ['GET', '/v1/models', {}, 'openai'],
    ['GET', '/v1/models', { 'x-api-key': 'k', 'anthropic-version': 'v' }, 'anthropic'],
    // The request of Anthropic's own client.
    ['GET', '/v1/models', { authorization: 'Bearer k', 'anthropic-version': 'v' }, 'anthropic'],
    ['GET', '/v1/models', { 'x-api-key': 'k' }, 'openai'],
    ['GET', '/v1/files', {}, 'openai'],
    ['GET', '/v1/files', { 'anthropic-version': 'v' }, 'anthropic'],
    ['POST', '/v1/unknown', { 'anthropic-version': 'v' }, 'anthropic'],
    // Calls that are served keep the dialect of their path.
    ['POST', '/v1/chat/completions', { 'anthropic-version': 'v' }, 'openai'],
    ['POST', '/v1/responses/', { 'anthropic-version': 'v' }, 'openai'],
    ['POST', '/v1beta/openai/files', { 'anthropic-version': 'v' }, 'openai'],
  ])('is recognized by %s %s with %j', (method, path, headers, dialect) => {
    expect(dialectOf(path, { method, headers, url: path })).toBe(dialect);
  });

  it.each([
    ['/v1/models', 'gemini'],
    ['/v1/models/m', 'gemini'],
    ['/v1beta/openai/models', 'openai'],
    ['/v1/chat/completions', 'openai'],
  ])('is recognized on %s by a key in the query', (path, dialect) => {
    expect(dialectOf(path, { method: 'GET', headers: {}, url: `${path}?key=k` })).toBe(dialect);
  });
});
