import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../call/refusal.js';
import { anthropicPage, geminiPage } from './model-page.js';

const MODELS = ['a', 'b', 'c', 'd', 'e'];

describe('a page of the models for clients of Anthropic', () => {
  const page = (query: string): unknown[] => {
    const { models, hasMore } = anthropicPage(MODELS, new URLSearchParams(query));
    return [models.join(''), hasMore];
  };

  it.each([
    ['', 'abcde', false],
    ['limit=&after_id=&before_id=', 'abcde', false],
    ['limit=2', 'ab', true],
    ['limit=5', 'abcde', false],
    ['limit=1000', 'abcde', false],
    ['limit=2&after_id=b', 'cd', true],
    ['limit=2&after_id=c', 'de', false],
    ['after_id=e', '', false],
    ['after_id=bb', 'cde', false],
    ['limit=2&before_id=d', 'bc', true],
    ['limit=2&before_id=c', 'ab', false],
    ['before_id=a', '', false],
    ['limit=1&after_id=a&before_id=d', 'b', true],
    ['limit=2&after_id=a&before_id=d', 'bc', false],
  ])('for %j', (query, models, hasMore) => {
    expect(page(query)).toEqual([models, hasMore]);
  });

  it.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=1.5', 'limit=all'])('is refused for %j', (query) => {
    expect(() => page(query)).toThrow(new Refusal(400, 'limit is invalid'));
  });
});

describe('a page of the models for clients of Gemini', () => {
  const page = (query: string): { models: readonly string[]; nextPageToken?: string } =>
    geminiPage(MODELS, new URLSearchParams(query));

  it.each(['', 'pageSize=0', 'pageSize=5', 'pageSize=5000', 'pageSize=&pageToken='])(
    'is everything for %j',
    (query) => {
      expect(page(query)).toEqual({ models: MODELS });
    },
  );

  it.each(['pageSize', 'page_size'])('follows the one before it, with %s', (size) => {
    const pages: string[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const { models, nextPageToken } = page(`${size}=2&pageToken=${token}`);
      pages.push(models.join(''));
      token = nextPageToken;
    }
    expect(pages).toEqual(['ab', 'cd', 'e']);
  });

  it.each([
    ['pageSize=-1', 'pageSize'],
    ['pageSize=x', 'pageSize'],
    ['pageSize=1.5', 'pageSize'],
    ['pageToken=zzz', 'pageToken'],
    ['pageToken=%20', 'pageToken'],
  ])('is refused for %j', (query, name) => {
    expect(() => page(query)).toThrow(new Refusal(400, `${name} is invalid`));
  });
});
